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
    assert plan.seconds < 60 and plan.quicker == [] and plan.memory >= 4000 and plan.threads >= 1 and plan.reason
    assert bombard.plan(1000, precision="double").engine == bombard.Simulation(1000, precision="double").engine


def test_the_plan_computes_nothing_and_names_quicker_settings():
    plan = bombard.plan(10**7, engine="reference", expected_storms=10, expected_impacts=10**6)
    assert plan.seconds > 60
    settings, seconds = plan.quicker[0]
    assert set(settings) == {"engine"} and seconds < plan.seconds / 10
    assert bombard.plan(10**7, **settings).engine == settings["engine"]
    few_impacts = bombard.plan(10**9, device="cpu", expected_storms=4, expected_impacts=20000)
    assert few_impacts.method == "fast" and {"method": "sparse"} in [way for way, _ in few_impacts.quicker]
    with pytest.raises(bombard.CannotRun, match="needs .* of memory"):
        bombard.plan(2**50, engine="cpu_direct")


def test_generated_storms_are_those_of_the_program(tmp_path):
    subprocess.run(
        [program, "generate", "--cells", "1000", "--impacts", "70", "--storms", "2", "--seed", "9", "--energy", "-5:5",
         "--directory", str(tmp_path)], check=True, capture_output=True,
    )
    storms = bombard.generate(1000, 70, 2, seed=9, energies=(-5, 5))
    for number, storm in enumerate(storms, 1):
        assert storm.tolist() == bombard.read_storm(tmp_path / f"layer_1000_storm_{number}.txt").tolist()
    assert storms[0].flags.writeable and bombard.generate(5, 0)[0].size == 0 and bombard.generate(5, 3, 0) == []


def test_devices():
    found = bombard.devices()
    assert found[0].device == "cpu" and found[0].usable and found[0].cores >= 1 and found[0].memory > 0
    assert found[0].name == bombard.Simulation(1, device="cpu").device
    assert [each.device for each in found[1:]] == [f"cuda:{index}" for index in range(len(found) - 1)]


def test_the_module_is_the_program(samples):
    def printed(*command):
        return subprocess.run(command, capture_output=True, text=True)

    def lines(done):  # without the time, and without the compiler, which the two need not share
        return [line for line in done.stdout.splitlines()[2:] if not line.startswith("compiler")]

    for arguments in (["--version"], ["run", "60", *samples, "--format", "result"], ["run", "0"]):
        by_module, by_program = printed(sys.executable, "-m", "bombard", *arguments), printed(program, *arguments)
        assert (by_module.returncode, by_module.stderr) == (by_program.returncode, by_program.stderr)
        assert lines(by_module) == lines(by_program)


forked = """
import multiprocessing, sys
import bombard

def maximum(cells):
    return bombard.run(cells, [([1], [2])] * 2).maxima.tolist()

def result(cells):
    return bombard.run(cells, [([1], [2])])

before = "called before" in sys.argv[1] and maximum(10**5)
if __name__ == "__main__":
    pool = multiprocessing.get_context(sys.argv[1].split()[0]).Pool(2)
    try:
        print([len(each) for each in pool.map(result, [30, 10**5])])
    except RuntimeError as error:
        print(type(error), error)
"""


@pytest.mark.parametrize("start", ["fork", "fork, called before", "spawn, called before"])
def test_processes(start, tmp_path):
    (tmp_path / "forked.py").write_text(forked)
    way = start.replace(",", "")
    done = subprocess.run([sys.executable, str(tmp_path / "forked.py"), way], capture_output=True, text=True, timeout=60)
    if start == "fork, called before":
        assert done.stdout.startswith("<class 'bombard.CannotRun'> this process was forked after bombard had computed")
    else:
        assert done.stdout == "[1, 1]\n", done.stderr
