import os
import subprocess
import sys

import numpy as np
import pytest

import bombard

program = os.environ["BOMBARD_PROGRAM"]


def test_the_plan_is_what_run_does():
    storms = bombard.generate(1000, 100, storms=3)
    plan, result = bombard.plan(1000, storms, device="cpu"), bombard.run(1000, storms, device="cpu")
    assert (plan.engine, plan.device) == (result.engine, result.device)
    assert (plan.method, plan.precision, plan.on_gpu) == ("direct", "single", False)
    assert plan.seconds < 60 and plan.memory >= 4000 and plan.threads >= 1 and plan.reason


def test_the_plan_computes_nothing():
    assert bombard.plan(10**7, engine="reference", expected_storms=10, expected_impacts=10**6).seconds > 60
    few = dict(device="cpu", expected_storms=4, expected_impacts=2000)
    assert [bombard.plan(10**9, wanted=wanted, **few).method for wanted in ("maxima", "cells")] == ["sparse", "sparse"]
    assert bombard.plan(10**7, wanted="layer", **few).method == "direct"


def test_generated_storms_have_energies_between_the_bounds():
    (storm,) = bombard.generate(1000, 200, energies=(-5, 5))
    assert set(storm[:, 1].tolist()) == set(range(-5, 6)) and storm.flags.writeable
    assert storm.dtype == np.int64 and storm.shape == (200, 2) and bombard.generate(5, 0)[0].shape == (0, 2)
    assert bombard.generate(5, 3, 0) == []


def test_devices():
    found = bombard.devices()
    assert found[0].device == "cpu" and found[0].usable and found[0].cores >= 1 and found[0].memory > 0
    assert found[0].name == bombard.Simulation(1, device="cpu").device
    assert [each.device for each in found[1:]] == [f"cuda:{index}" for index in range(len(found) - 1)]


def test_the_module_is_the_program(samples):
    for arguments in (["run", "60", *samples, "--format", "ndjson"], ["run", "0"]):
        by_module, by_program = (
            subprocess.run([*command, *arguments], capture_output=True) for command in ([sys.executable, "-m", "bombard"], [program])
        )
        assert (by_module.returncode, by_module.stderr) == (by_program.returncode, by_program.stderr)
        assert by_module.stdout == by_program.stdout


forked = """
import multiprocessing, sys
import bombard
from bombard import solve

def result(cells):
    if sys.argv[2] == "product":
        return solve.product([[1.0] * 1000] * 1000, [[1.0] * 1000] * 1000)
    return bombard.run(cells, [([1], [2])] * 2)

if sys.argv[3] == "sort":
    solve.sort([float(i) for i in range(10**6)])
if __name__ == "__main__":
    pool = multiprocessing.get_context(sys.argv[1]).Pool(2)
    try:
        print([len(each) for each in pool.map(result, [30, 10**5])])
    except RuntimeError as error:
        print(type(error), error)
"""


@pytest.mark.parametrize("words", ["fork run -", "fork product sort", "fork run sort", "spawn run sort"])
def test_processes(words, tmp_path):
    (tmp_path / "forked.py").write_text(forked)
    done = subprocess.run([sys.executable, tmp_path / "forked.py", *words.split()], capture_output=True, text=True, timeout=60)
    refused = "<class 'bombard.CannotRun'> this process was forked after bombard had been imported"
    assert done.stdout.startswith("[2, 2]\n" if words.startswith("spawn") else refused), done.stderr
