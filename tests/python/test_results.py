import copy
import pickle

import numpy as np
import pytest

import bombard

storms = bombard.generate(300, 40, storms=5, seed=3)


def test_is_a_sequence_of_storms(samples):
    result = bombard.run(60, samples)
    assert len(result) == 3
    assert [storm.storm for storm in result] == [1, 2, 3]
    assert result[-1] == result[2] == (3, samples[2], 10, 48, 21791.763671875)
    assert result[1].name == samples[1] and result[1].maximum == result.maxima["value"][1]
    assert result[0:2] == [result[0], result[1]] and result[::-2] == [result[2], result[0]]
    with pytest.raises(IndexError):
        result[3]


def test_layers_and_peaks_are_those_of_shorter_runs(samples):
    result = bombard.run(60, samples, layers=True, peaks=4)
    for storms_so_far, layer, peaks in zip((1, 2, 3), result.layers, result.peaks):
        shorter = bombard.run(60, samples[:storms_so_far])
        assert np.array_equal(layer, shorter.layer) and np.array_equal(peaks, shorter.highest_peaks(4))
        assert peaks[0] == shorter.maxima[-1] and np.array_equal(peaks["value"], layer[peaks["position"]]) and len(peaks) == 4
    assert result.values_at([7, 48, 7]).tolist() == result.layer[[7, 48, 7]].tolist()


@pytest.mark.parametrize("stop", [True, np.True_])
def test_on_storm_is_called_and_may_end_the_run(stop):
    seen = []

    def on_storm(storm):
        seen.append(storm)
        return stop if storm.storm == 3 else 1  # as a function that writes would return

    result = bombard.run(300, storms, on_storm=on_storm, layers=True, peaks=1)
    assert seen == list(result) == list(bombard.run(300, storms))[:3]
    assert len(result.layers) == len(result.peaks) == len(result.impacts) == len(result.names) == 3
    assert np.array_equal(result.layer, bombard.run(300, storms[:3]).layer)


def test_memory_for_the_layers_is_asked_for():
    with pytest.raises(bombard.CannotRun, match="the layer after each storm needs 4000 GB of memory"):
        bombard.run(10**7, [([1], [1])] * 10**5, layers=True)


def test_what_on_storm_raises_ends_the_run():
    def on_storm(storm):
        raise KeyError(storm.name)

    with pytest.raises(KeyError, match="1"):
        bombard.run(300, storms, on_storm=on_storm)


@pytest.mark.parametrize("settings", [{"method": "direct"}, {"precision": "double"}])
def test_a_pickled_result_answers_as_before(settings):
    result = bombard.run(300, storms, device="cpu", peaks=2, **settings)
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result), pickle.loads(pickle.dumps(copy.copy(result)))):
        assert repr(again) == repr(result) and list(again) == list(result)
        assert np.array_equal(again.layer, result.layer) and again.layer.dtype == result.layer.dtype
        assert again.values_at([0, 299]).tolist() == result.layer[[0, 299]].tolist()
        assert again.highest_peaks(5).tolist() == result.highest_peaks(5).tolist()
        assert again.evidence == result.evidence


@pytest.mark.parametrize("method", ["fast", "sparse"])
def test_a_result_without_a_layer_is_copied_and_pickled(method):
    result = bombard.run(10**7, storms, device="cpu", method=method)
    again, copied = pickle.loads(pickle.dumps(result)), copy.copy(result)
    assert list(again) == list(copied) == list(result)
    with pytest.raises(bombard.InputError, match="pickled without its layer"):
        again.values_at([1])
    for again in (copied, copy.deepcopy(result)):
        assert again.values_at([0, 299]).tolist() == result.values_at([0, 299]).tolist()


def test_to_pandas():
    pytest.importorskip("pandas")
    result = bombard.run(300, storms)
    table = result.to_pandas()
    assert table.reset_index().columns.tolist() == ["storm", "name", "impacts", "position", "maximum"]
    assert [tuple(row) for row in table.reset_index().to_numpy()] == list(result)
    assert len(bombard.run(300, []).to_pandas()) == 0


def test_html_of_a_notebook(tmp_path, samples):
    name = tmp_path / "<b>.txt"
    name.write_text("1\n5 7\n")
    html = bombard.run(60, [name, *[([1], [2])] * 20])._repr_html_()
    assert "&lt;b&gt;.txt" in html and "<b>" not in html
    assert html.count("<tr>") == 13 and "and 9 more" in html


def test_a_simulation_is_not_copied():
    simulation = bombard.Simulation(10)
    for copying in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled; make another one that begins"):
            copying(simulation)
