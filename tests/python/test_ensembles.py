import numpy as np

import bombard


def test_equal_runs_come_as_arrays_or_lists():
    rng = np.random.default_rng(6)
    positions = rng.integers(0, 500, (30, 3, 20))
    energies = rng.integers(1, 1000, (30, 3, 20), np.int32)
    maxima = bombard.ensemble(500, [list(zip(*run)) for run in zip(positions, energies)])
    assert maxima.shape == (30, 3) and np.array_equal(bombard.ensemble(500, (positions, energies)), maxima)


def test_runs_of_different_lengths_give_what_single_runs_give(samples):
    runs = [[], samples, [([1], [2])]]
    maxima = bombard.ensemble(60, runs, device="cpu", threads=2)
    assert [of_run.tolist() for of_run in maxima] == [bombard.run(60, run).maxima.tolist() for run in runs]


def test_of_nothing():
    assert bombard.ensemble(60, []).shape == (0, 0) and bombard.ensemble(60, [])["value"].shape == (0, 0)
    assert bombard.ensemble(60, (np.zeros((0, 3, 2), int), np.zeros((0, 3, 2), int))).shape == (0, 3)
    assert bombard.ensemble(60, [[], []]).shape == (2, 0)
    assert bombard.ensemble(60, (np.zeros((2, 3, 0), int), np.zeros((2, 3, 0), int))).tolist() == [[(0, 0.0)] * 3] * 2
