import numpy as np
import pytest

import bombard

rng = np.random.default_rng(6)


def test_equal_runs_by_arrays():
    positions = rng.integers(0, 500, (30, 3, 20))
    energies = rng.integers(1, 1000, (30, 3, 20), np.int32)
    maxima = bombard.ensemble(500, (positions, energies))
    assert maxima.shape == (30, 3)
    for run in range(30):
        single = bombard.run(500, list(zip(positions[run], energies[run])), device="cpu")
        assert np.array_equal(maxima[run], single.maxima)
    by_lists = bombard.ensemble(500, [list(zip(*run)) for run in zip(positions, energies)])
    assert np.array_equal(by_lists, maxima)


def test_runs_of_different_lengths(samples):
    runs = [[], samples, [([1], [2])]]
    maxima = bombard.ensemble(60, runs, device="cpu", threads=2)
    assert [of_run.tolist() for of_run in maxima] == [bombard.run(60, run).maxima.tolist() for run in runs]


def test_on_a_gpu():
    with pytest.raises(bombard.InputError, match='which device="cuda" rules out; leave it out'):
        bombard.ensemble(60, [], device="cuda")


def test_of_nothing():
    assert bombard.ensemble(60, []) == []
    assert bombard.ensemble(60, [[], []]).shape == (2, 0)
    assert bombard.ensemble(60, (np.zeros((2, 3, 0), int), np.zeros((2, 3, 0), int))).tolist() == [[(0, 0.0)] * 3] * 2
