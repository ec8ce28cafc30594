"""Storms as tables: columns are recognised by their names, whichever library holds them."""

import ctypes

import numpy as np
import pytest

import bombard

address = ctypes.c_void_p
getter, complaint, release = (
    ctypes.CFUNCTYPE(result, *arguments)
    for result, *arguments in ([ctypes.c_int, address, address], [address, address], [None, address])
)
capsule_of = ctypes.pythonapi.PyCapsule_New
capsule_of.restype, capsule_of.argtypes = ctypes.py_object, [address, ctypes.c_char_p, address]


class Table:
    """A table of columns [(name, format, parts)] with Arrow's interface; a part is (values, offset, validity bits or None)."""

    def __init__(self, *columns, error=0):
        self.columns_of_it, self.error, self.released = columns, error, 0
        self.release = release(self.count_release)
        self.kept = []  # what the structures refer to

    def structure(self, *fields):
        """A structure of Arrow: numbers and addresses of 64 bits each."""
        numbers = (field if isinstance(field, int) else ctypes.cast(field, address).value for field in fields)
        words = (address * len(fields))(*numbers)
        self.kept += [fields, words]
        return words

    def give(self, out, *fields):
        ctypes.memmove(out, self.structure(*fields), 8 * len(fields))
        return 0

    def __arrow_c_stream__(self, requested_schema=None):
        self.next = 0
        functions = getter(self.get_schema), getter(self.get_next), complaint(self.get_last_error), self.release
        return capsule_of(self.structure(*functions, 0), b"arrow_array_stream", None)

    def count_release(self, structure):
        self.released += 1

    def get_schema(self, stream, out):
        columns = [self.structure(kind.encode(), name.encode(), *[0] * 7) for name, kind, _ in self.columns_of_it]
        return self.give(out, b"+s", b"", 0, 0, len(columns), self.structure(*columns), 0, self.release, 0)

    def get_next(self, stream, out):
        if self.error or self.next == len(self.columns_of_it[0][2]):
            self.give(out, *[0] * 10)
            return self.error
        columns = []
        for values, offset, bits in (parts[self.next] for _, _, parts in self.columns_of_it):
            buffers = self.structure(0 if bits is None else bytes([bits]), values.ctypes.data)
            columns.append(self.structure(len(values) - offset, -1, offset, 2, 0, buffers, *[0] * 4))
        self.next += 1
        return self.give(out, columns[0][0], 0, 0, 0, len(columns), 0, self.structure(*columns), 0, self.release, 0)

    def get_last_error(self, stream):
        return self.structure(b"the disk is gone")[0]


def i8(*values):
    return np.array(values, np.int64)


def i2(*values):
    return np.array(values, np.int16)


def table(energies=((i2(500, 7), 0, None),), positions=((i8(5, 30), 0, None),), kind="s", **options):
    return Table(("energy", kind, energies), ("position", "l", positions), **options)


@pytest.fixture
def maxima():
    return bombard.run(60, [([5, 30], [500, 7])]).maxima.tolist()


def test_columns_come_by_arrows_interface(maxima):
    whole = table()
    assert bombard.run(60, [whole]).maxima.tolist() == maxima
    assert whole.released == 2  # the schema and the only part; the stream is its capsule's
    with pytest.raises(bombard.InputError, match="storms is one storm"):
        bombard.run(60, whole)
    in_parts = table([(i2(3, 500), 1, None), (i2(7), 0, 1)], [(i8(5), 0, None), (i8(1, 2, 30), 2, 0b100)])
    assert bombard.run(60, [in_parts]).maxima.tolist() == maxima
    assert bombard.run(60, [table((), ())]).maxima.tolist() == [(0, 0.0)]


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (lambda: table([(i2(500, 7), 0, 0b01)]), "the column energy has nulls; drop or fill their rows"),
        (lambda: table(kind="u"), 'the column energy does not hold plain numbers; its type in Arrow is "u"'),
        (lambda: table([(np.array([500, 7.5]), 0, None)], kind="g"), "energies: float64 values; they must be integers"),
        (lambda: table(error=5), "reading a table failed: the disk is gone"),
        (lambda: Table(("energy", "l", [(i8(1), 0, None)])), "a storm has the columns position and energy, not energy; rename"),
    ],
)
def test_what_is_no_storm(wrong, complaint):
    with pytest.raises(bombard.InputError, match=complaint):
        bombard.run(60, [wrong()])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_of_libraries(library, maxima):
    module = pytest.importorskip(library)
    make = getattr(module, "DataFrame", getattr(module, "table", None))
    assert bombard.run(60, [make({"energy": [500, 7], "position": [5, 30]})]).maxima.tolist() == maxima


def test_missing_values_of_pandas(maxima):
    pandas = pytest.importorskip("pandas")
    nullable = pandas.DataFrame({"energy": [500, 7], "position": [5, 30]}, dtype="Int64")
    assert bombard.run(60, [nullable]).maxima.tolist() == maxima
    with pytest.raises(bombard.InputError, match=r"storm 1: energies\[1\] is missing; leave those out, .dropna\(\), or fill"):
        bombard.run(60, [nullable.where(nullable != 7)])
