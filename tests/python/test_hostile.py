"""Whatever is given, a call returns or raises an error that docs/python.md names."""

import decimal

import numpy as np
import pytest

import bombard
from bombard import solve

values = [
    *(None, True, 0, 1, -1, 3, 2**31, 2**63, 2**70, 1.5, float("nan"), float("inf"), 2j, decimal.Decimal(2), object(), type),
    *("", "1", "abc", b"x", "\x00", "no/such/file", [], (), {}, set(), [1], (1, 2), ([1], [2]), ([1, 2], [3])),
    *([[1, 2]], [[1, 2], [3, 4]], ((1, 2), (3, 4)), [["a", "b"]], [[1, 2], [3]], {"position": [1], "energy": [None]}),
    *(np.array(5), np.array([1, 2]), np.zeros((2, 2)), np.zeros((2, 2), int), np.zeros((2, 2, 2), int), np.zeros((0, 3))),
    *(np.array(["a"]), np.array([None]), np.array([1 + 2j]), np.array([1], "M8[s]"), np.ma.array([1, 2], mask=[0, 1])),
    *(np.int8(-3), np.float16(2), np.longdouble(2), np.array([2**63], np.uint64), np.array([[1, 2]], ">i4")),
    *(np.zeros(3, [("position", "i8"), ("energy", "i4")]), np.datetime64("2020-01-01"), np.array([1.5], np.longdouble), [np.ma.masked, 1]),
]
settings = {
    name: (lambda value, name=name: bombard.run(10, [], **{name: value}))
    for name in bombard.settings.Settings.__annotations__
}
calls = {
    **settings,
    "cells": bombard.plan,
    "storms": lambda value: bombard.run(10, value),
    "storm": lambda value: bombard.run(10, [value]),
    "energies": lambda value: bombard.run(10, [([1], value)]),
    "layers": lambda value: bombard.run(10, [([1], [1])], layers=value),
    "peaks": lambda value: bombard.run(10, [([1], [1])], peaks=value),
    "apply": lambda value: bombard.Simulation(10).apply(value),
    "values_at": lambda value: bombard.Simulation(10).values_at(value),
    "highest_peaks": lambda value: bombard.Simulation(10).highest_peaks(value),
    "begin_with": lambda value: bombard.Simulation(10).begin_with(value),
    "ensemble": lambda value: bombard.ensemble(10, value),
    "run of an ensemble": lambda value: bombard.ensemble(10, [value]),
    "seed": lambda value: bombard.generate(10, 3, seed=value),
    "bounds": lambda value: bombard.generate(10, 3, energies=value),
    "read_storm": bombard.read_storm,
    "a": lambda value: solve.jacobi(value, [1, 2]),
    "b": lambda value: solve.jacobi([[1]], value),
    "start": lambda value: solve.jacobi([[1]], [1], start=value),
    "tolerance": lambda value: solve.jacobi([[1]], [1], tolerance=value),
    "error": lambda value: solve.jacobi([[1]], [1], error=value),
    "product": lambda value: solve.product(value, value),
    "dot": lambda value: solve.dot(value, value),
    "sort": solve.sort,
    "sum": solve.sum,
    "minima": solve.minima,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", calls)
def test_what_comes_is_an_answer_or_an_error_of_ours(name):
    for value in values:
        try:
            calls[name](value)
        except (bombard.InputError, bombard.CannotRun) as error:
            assert not any(word in str(error) for word in ("_core", "arg0", "pybind")), (value, error)
