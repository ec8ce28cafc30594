"""Refusals are worded for Python: they name the argument and its right values.

The library's own tests cover what it refuses by itself; one row shows that the message comes through.
"""

import re

import numpy as np
import pytest

import bombard
from bombard import solve

one = [([1], [1])]
masked = np.ma.array([1, 2], mask=[False, True])
simulation = bombard.Simulation(10)
cubes = np.ones((2, 3, 2), int)


@pytest.mark.parametrize(
    "call, message",
    [
        # settings
        (lambda: bombard.run(10, one, threads=True), "threads=True is not a whole number from 0 to 4096"),
        (lambda: bombard.run(10, one, threshold="0.1"), "threshold='0.1' is not a number"),
        (lambda: bombard.run(10, one, device=0), "device=0 is not a string"),
        (lambda: bombard.run(10, one, wanted="all"), 'wanted "all" is not what can be wanted; it is maxima, cells or layer'),
        # cells and lists of cells
        (lambda: bombard.Simulation("10"), "cells='10' is not a whole number"),
        (lambda: simulation.values_at([1.7]), "cells: float64 values; they must be integers"),
        (lambda: bombard.run(10, one, peaks=-1), "peaks=-1 is not a whole number, 0 or more"),
        # layers
        (lambda: simulation.begin_with(np.zeros((2, 5), np.float32)), "layer: the shape is (2, 5); it must have 1 dimension"),
        (lambda: simulation.begin_with(np.zeros(10, int)), "layer: int64 values; they must be of a floating-point type"),
        (lambda: simulation.begin_with(np.zeros(10, np.float16)), "layer: float16 values; this simulation begins with float32"),
        # storms
        (lambda: bombard.run(10, "storm.txt"), "storms is one storm; give a list of storms, [storm]"),
        (lambda: bombard.run(10, [*one, ([1, 2], [1])]), "storm 2: positions have the shape (2,), energies (1,): they must be"),
        (lambda: bombard.run(10, [([1.5], [1])]), "positions: float64 values; they must be integers of up to 64 bits"),
        (lambda: bombard.run(10, [([1, 2], [1, 2**31])]), "storm 1: energies[1]: 2147483648 is not between -2147483648 and"),
        (lambda: bombard.run(10, [(np.array([2**63], np.uint64), [1])]), "positions[0]: 9223372036854775808 is not between"),
        (lambda: bombard.run(10, [[[1, 2], [3]]]), "storm 1: storm: not an array: "),
        (lambda: bombard.run(10, [(masked, [1, 2])]), "positions: a masked array; give the values that count"),
        (lambda: bombard.run(10, [([1], [2], [3])]), "a tuple of 3 is not a storm; a storm is a tuple (positions,"),
        (lambda: bombard.run(10, [{"x": [1], "energy": [2]}]), "a storm has the columns position and energy, not x, energy"),
        (lambda: bombard.run(10, 5), "storms=5 is not a list of storms"),
        (lambda: bombard.ensemble(10, [[], 5]), "run=5 is not a list of storms"),
        (lambda: bombard.read_storm(5), "path=5 is not a file's name"),
        (lambda: bombard.run(10, (np.arange(3), np.arange(3))), "storm 1: storm: the shape is (3,); it must have 2 dimensions"),
        # what could be either
        (lambda: bombard.ensemble(10, [cubes, cubes]), "a tuple (positions, energies) of arrays runs x storms x impacts, or"),
        (lambda: bombard.ensemble(10, (cubes, cubes[:1])), "positions have the shape (2, 3, 2), energies (1, 3, 2): they must"),
        # solvers
        (lambda: solve.jacobi([[1]], [1], force="yes"), "force='yes' is not True or False"),
        # what there is
        (lambda: bombard.generate(10, 1, energies=5), "energies=5 is not a pair, the lowest and the highest"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(bombard.InputError) as refusal:
        call()
    assert message in str(refusal.value)
    assert not re.search(r"_core|arg0|pybind|(^|\s)--\w", str(refusal.value))


def test_the_classes_of_errors():
    assert issubclass(bombard.InputError, ValueError) and issubclass(bombard.CannotRun, RuntimeError)
    assert repr(bombard.InputError("x")) == "InputError('x')" and bombard.InputError.__module__ == "bombard"
    with pytest.raises(bombard.CannotRun, match="needs .* of memory"):
        bombard.Simulation(2**50, engine="cpu_direct")
    with pytest.raises(TypeError, match="'methd' is not a setting; there are device, method"):
        bombard.run(10, [], methd="fast")


@pytest.mark.parametrize("name", ["a--device-b", "a\udce9"])  # the second is no UTF-8
def test_the_name_of_a_file_is_kept(tmp_path, name):
    path = tmp_path / name
    path.write_text("1\n2 3\n")
    assert bombard.run(10, [path]).names == [str(path)]
    path.write_text("1\n2 x\n")
    with pytest.raises(bombard.InputError, match=re.escape(f"{path}:2: energy")):
        bombard.run(10, [str(path)])


def test_numbers_of_numpy_are_numbers():
    given = dict(threads=np.int32(1), threshold=np.float32(0.5), wanted="layer", expected_storms=np.uint8(3))
    assert bombard.run(np.int16(10), one, **given).maxima.tolist() == bombard.run(10, one, threshold=0.5).maxima.tolist()
    simulation.reset()
    simulation.begin_with(np.arange(10, dtype=">f4"))
    assert simulation.layer().tolist() == list(range(10))
    assert solve.sort(np.array([2, 1], ">f8")).tolist() == [1, 2] and solve.sum(np.array([2, 1], ">i4")) == 3
