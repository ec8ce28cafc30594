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
    assert result.maxima["position"].dtype == np.int64
    assert result.names == samples
    assert result.impacts == [10, 10, 10]
    assert result.engine in ("cpu_direct", "cuda_direct")
    assert result.layer.shape == (60,) and result.layer.dtype == np.float32
    assert result.layer[48] == result.maxima["value"][2]
    assert result.evidence == []
    assert result.seconds >= 0


def test_every_form_of_a_storm(tmp_path):
    positions, energies = [5, 7, 30], [100, 7, 8]
    columns = np.array([positions, energies]).T
    fields = np.zeros(3, [("position", "u2"), ("energy", ">i8")])
    fields["position"], fields["energy"] = positions, energies
    swapped = np.zeros(3, [("energy", "i4"), ("position", "i4")])
    swapped["position"], swapped["energy"] = positions, energies
    own = np.zeros(3, bombard.impact_type)
    own["position"], own["energy"] = positions, energies
    path = tmp_path / "storm.npy"
    np.save(path, np.ascontiguousarray(columns))
    forms = [
        (positions, energies),
        (np.array(positions, np.int8), np.array(energies, np.uint64)),
        columns.tolist(),
        list(zip(positions, energies)),
        {"energy": energies, "position": positions},
        (np.array(positions, ">i2"), np.array(energies)[::1]),
        columns,
        np.asfortranarray(columns),
        fields,
        swapped,
        own,
        np.repeat(own, 2)[::2],
        path,
        str(path),
    ]
    maxima = [bombard.run(33, [form]).maxima.tolist() for form in forms]
    assert all(maximum == maxima[0] for maximum in maxima)
    assert bombard.Simulation(33).apply(positions, energies) == maxima[0][0]
    assert bombard.Simulation(33).apply(own) == maxima[0][0]
    assert bombard.read_storm(path).tolist() == own.tolist()


def test_two_rows_are_rows_and_a_tuple_is_a_pair():
    rows = bombard.run(60, [([1, 3], [2, 4])]).maxima.tolist()
    for storm in ([(1, 2), (3, 4)], [[1, 2], [3, 4]], np.array([[1, 2], [3, 4]]), ([1, 3], [2, 4])):
        assert bombard.run(60, [storm]).maxima.tolist() == rows
    assert bombard.run(60, [([1, 2], [3, 4])]).maxima.tolist() != rows


@pytest.mark.parametrize("form", ["csv", "npy", "records"])
def test_what_pandas_and_numpy_write_is_read(form, tmp_path):
    storm, file = bombard.generate(60, 5)[0], tmp_path / "storm"
    if form == "csv":
        pytest.importorskip("pandas").DataFrame(storm).to_csv(file, index=False)
    else:
        rows = np.column_stack([storm["position"], storm["energy"]])
        np.save(file.open("wb"), storm if form == "records" else rows)
    assert bombard.read_storm(file).tolist() == storm.tolist()


def test_several_storms_in_one_array():
    storms = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    fields = np.zeros((2, 2), [("energy", "i4"), ("position", "i4")])
    fields["position"], fields["energy"] = storms[..., 0], storms[..., 1]
    assert bombard.run(60, storms).maxima.tolist() == bombard.run(60, list(storms)).maxima.tolist()
    assert bombard.run(60, fields).maxima.tolist() == bombard.run(60, list(storms)).maxima.tolist()


def test_empty_storms():
    assert bombard.run(10, []).maxima.tolist() == []
    assert bombard.run(10, [([], []), np.zeros((0, 2)), []]).maxima.tolist() == [(0, 0.0)] * 3


def test_storm_by_storm_as_all_at_once():
    storms = [random_storm(1000, 50) for _ in range(4)]
    whole = bombard.run(1000, storms, exact_layer=True)
    simulation = bombard.Simulation(1000, exact_layer=True)
    assert simulation.maximum == (0, 0.0)
    maxima = [simulation.apply(*storm) for storm in storms]
    assert maxima == whole.maxima.tolist()
    assert simulation.maximum == maxima[-1]
    assert maxima[0].position == maxima[0][0]
    assert np.array_equal(simulation.layer(), whole.layer)
    simulation.reset()
    assert not simulation.layer().any()
    simulation.begin_with(bombard.run(1000, storms[:3]).layer)
    assert simulation.apply(*storms[3]) == maxima[3]
    with pytest.raises(ValueError, match="storms have come already"):
        simulation.begin_with(whole.layer)


def test_double_precision_and_the_family():
    storm = random_storm(300, 40)
    result = bombard.run(300, [storm], precision="double", device="cpu")
    assert result.layer.dtype == np.float64
    assert result.layer[result.maxima["position"][0]] == result.maxima["value"][0]
    edition_1 = bombard.run(300, [storm], edition=1, attenuation="power:1", threshold=0.01)
    assert edition_1.maxima.tolist() != bombard.run(300, [storm]).maxima.tolist()


def test_evidence():
    (fast,) = bombard.run(200_000, [random_storm(200_000, 2000)], method="fast", device="cpu").evidence
    assert not fast.direct and fast.candidates >= 1
    storms = [(rng.integers(0, 10**8, 100), rng.integers(1, 1000, 100)) for _ in range(3)]
    result = bombard.run(10**8, storms, method="sparse")
    assert result.maxima["value"].all()
    assert 0 < result.evidence[2].cells_seen < 10**6 and result.evidence[2].why_dense == ""
    with pytest.raises(ValueError, match="cpu_sparse stores no layer"):
        result.layer


@pytest.mark.parametrize("method", ["direct", "sparse"])
def test_cells_and_peaks(method):
    simulation = bombard.Simulation(10**5, method=method, device="cpu")
    maximum = simulation.apply([300, 70_000, 20_000], [500, 400, 600])
    peaks = simulation.highest_peaks(2)
    assert peaks["position"].tolist() == [20_000, 300]
    assert peaks[0].item() == maximum
    values = simulation.values_at([300, 20_000, 300])
    assert values.tolist() == [peaks["value"][1], peaks["value"][0], peaks["value"][1]]
    with pytest.raises(ValueError, match="100000 is not in the layer"):
        simulation.values_at([10**5])


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
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = bombard.run(2000, [storm] * 80)
    assert simulation.maximum == alone.maxima[-1].item()
