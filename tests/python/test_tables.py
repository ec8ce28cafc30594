"""Tables of several libraries as storms; a library that is missing is skipped."""

import pytest

import bombard

columns = {"energy": [500, 7], "position": [5, 30]}


def table(library, given):
    module = pytest.importorskip(library)
    return getattr(module, "DataFrame", getattr(module, "table", None))(given)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_of_libraries(library):
    maxima = bombard.run(60, [([5, 30], [500, 7])]).maxima.tolist()
    assert bombard.run(60, [columns]).maxima.tolist() == maxima
    assert bombard.run(60, [table(library, columns)]).maxima.tolist() == maxima
    with pytest.raises(bombard.InputError, match="storms is one storm"):
        bombard.run(60, table(library, columns))
    with pytest.raises(bombard.InputError, match="none may be missing"):
        bombard.run(60, [table(library, {"energy": [500, None], "position": [5, 30]})])
    with pytest.raises(bombard.InputError, match="has the columns position and energy, not energy, position, other"):
        bombard.run(60, [table(library, {**columns, "other": [1, 2]})])


def test_two_columns_of_one_name():
    pandas = pytest.importorskip("pandas")
    twice = pandas.DataFrame([[5, 500, 7]], columns=["position", "energy", "energy"])
    with pytest.raises(bombard.InputError, match="has the columns position and energy, not position, energy, energy"):
        bombard.run(60, [twice])
    nullable = pandas.DataFrame({"energy": [500, 7], "position": [5, 30]}, dtype="Int64")
    with pytest.raises(bombard.InputError, match="none may be missing"):
        bombard.run(60, [nullable.where(nullable != 7)])
