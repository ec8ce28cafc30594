import threading
import time

import numpy as np
import pytest

import bombard

rng = np.random.default_rng(5)


def random_storm(cells, impacts):
    return rng.integers(-3, cells + 3, impacts), rng.integers(-50, 1000, impacts)


def test_digits_of_the_samples(samples, device):
    result = bombard.run(60, samples, device=device)
    assert result.maxima.tolist() == [(42, 6261.73046875), (33, 12216.6923828125), (48, 21791.763671875)]
    assert result.names == samples and result.impacts == [10, 10, 10]
    assert result.engine in ("cpu_direct", "cuda_direct") and result.evidence == [] and result.seconds >= 0
    assert result.layer.shape == (60,) and result.layer.dtype == np.float32
    assert result.layer[48] == result.maxima["value"][2]


def test_every_form_of_a_storm(tmp_path):
    rows = bombard.generate(33, 3)[0]
    positions, energies = rows.T.tolist()
    np.save(tmp_path / "rows.npy", rows)
    forms = [
        *((positions, energies), (np.array(positions, np.int8), np.array(energies, np.uint64)), (np.array(positions, ">i2"), energies)),
        *(rows, np.asfortranarray(rows), rows.astype(">i4"), np.repeat(rows, 2, axis=0)[::2], rows.tolist(), list(zip(positions, energies))),
        *({"energy": energies, "position": positions}, tmp_path / "rows.npy", str(tmp_path / "rows.npy")),
    ]
    maxima = bombard.run(33, [forms[0]]).maxima.tolist()
    assert [bombard.run(33, [form]).maxima.tolist() for form in forms] == [maxima] * len(forms)
    assert [bombard.Simulation(33).apply(positions, energies)] == [bombard.Simulation(33).apply(rows)] == maxima
    assert bombard.read_storm(tmp_path / "rows.npy").tolist() == rows.tolist()


def test_a_tuple_is_a_pair_and_anything_else_is_rows():
    rows = bombard.run(60, [([1, 3], [2, 4])]).maxima.tolist()
    for storm in ([(1, 2), (3, 4)], [[1, 2], [3, 4]], np.array([[1, 2], [3, 4]]), [np.array([1, 2]), np.array([3, 4])]):
        assert bombard.run(60, [storm]).maxima.tolist() == rows
    for pair in (([1, 2], [3, 4]), ((1, 2), (3, 4))):
        assert bombard.run(60, [pair]).maxima.tolist() != rows


def test_lists_of_storms():
    assert bombard.run(10, []).maxima.tolist() == []
    assert bombard.run(10, [([], []), np.zeros((0, 2)), []]).maxima.tolist() == [(0, 0.0)] * 3
    storms = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])  # several in one array
    assert bombard.run(60, storms).maxima.tolist() == bombard.run(60, list(storms)).maxima.tolist()


def test_storm_by_storm_as_all_at_once():
    storms = [random_storm(1000, 50) for _ in range(4)]
    whole = bombard.run(1000, storms, wanted="layer")
    simulation = bombard.Simulation(1000, wanted="layer")
    maxima = [simulation.apply(*storm) for storm in storms]
    assert maxima == whole.maxima.tolist() and simulation.maximum == maxima[-1]
    assert np.array_equal(simulation.layer(), whole.layer)
    simulation.reset()
    assert not simulation.layer().any()
    simulation.begin_with(bombard.run(1000, storms[:3]).layer)
    assert simulation.apply(*storms[3]) == maxima[3]
    assert bombard.run(1000, storms, edition=1).maxima.tolist() != maxima
    assert bombard.run(1000, storms, precision="double", device="cpu").layer.dtype == np.float64


def test_evidence():
    (fast,) = bombard.run(200_000, [random_storm(200_000, 2000)], method="fast", device="cpu").evidence
    assert not fast.direct and fast.candidates >= 1
    result = bombard.run(10**8, bombard.generate(10**8, 100, storms=3), method="sparse")
    assert 0 < result.evidence[2].cells_seen < 10**6 and result.evidence[2].why == ""
    result = bombard.run(10**5, bombard.generate(10**5, 5, storms=2), method="sparse")
    assert result.layer.any() and result._simulation.engine == "cpu_direct" and result.engine == "cpu_sparse"


def test_representations(samples):
    result = bombard.run(60, [*samples, ([1], [2])])
    lines = repr(result).splitlines()
    assert lines[0].startswith("60 cells, 4 storms, 31 impacts; cpu_direct on ")
    assert lines[3] == f"    1       10        42   6261.730469  {samples[0]}"
    assert lines[6].startswith("    4        1  ") and not lines[6].endswith(" ")
    many = bombard.run(10, [([1], [2])] * 40)
    assert repr(many).splitlines()[-1] == "and 28 more"
    assert repr(bombard.Simulation(60)).startswith("<bombard.Simulation of 60 cells, cpu_")


def test_plot(samples):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = bombard.run(60, samples).plot()
    assert axes.get_xlabel() == "cell"
    assert [text.get_text() for text in axes.texts] == ["1", "2", "3"]
    simulation = bombard.Simulation(60)
    assert not simulation.plot().texts
    simulation.apply(samples[0])
    axes = simulation.plot(axes)
    assert axes.texts[-1].get_text() == "6261.73"
    assert axes.lines[-2].get_ydata().tolist() == simulation.layer().tolist()


def test_threads_compute_at_the_same_time():
    """The interpreter's lock is not held: another Python thread keeps running."""
    simulation = bombard.Simulation(300_000, engine="cpu_direct")
    storm = random_storm(300_000, 20_000)
    thread = threading.Thread(target=simulation.apply, args=storm)
    turns = 0
    thread.start()
    while thread.is_alive():
        turns += 1
        time.sleep(0.001)
    assert turns > 10


def test_threads_take_turns():
    simulation = bombard.Simulation(2000)
    storm = random_storm(2000, 100)
    threads = [threading.Thread(target=lambda: [simulation.apply(*storm) for _ in range(20)]) for _ in range(4)]
    for act in (threading.Thread.start, threading.Thread.join):
        for thread in threads:
            act(thread)
    alone = bombard.run(2000, [storm] * 80)
    assert simulation.maximum == alone.maxima[-1].item()
