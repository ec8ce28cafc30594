"""The compiled part depends on no version of NumPy, 1 or 2: Python's buffer protocol carries arrays."""

import subprocess
import sys

from bombard import _core


def test_the_compiled_part_needs_no_numpy():
    script = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('_core', {_core.__file__!r})\n"
        "core = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(core)\n"
        "simulation = core.Simulation(2, {})\n"
        "print(memoryview(simulation.layer()).tobytes() == bytes(8), 'numpy' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "True False\n", done.stderr


def test_another_version_of_numpy_is_not_refused():
    script = "import numpy; numpy.__version__ = '2.1.3'; import bombard; print(bombard.run(3, [([1], [2])]).engine)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "cpu_direct\n", done.stderr
