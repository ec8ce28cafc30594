"""What the import refuses."""

import subprocess
import sys

import pytest

from bombard import _core


def test_a_numpy_that_pybind11_does_not_know_is_refused():
    if tuple(map(int, _core.pybind11_version.split("."))) >= (2, 12):
        pytest.skip("built with a pybind11 that knows NumPy 2")
    script = "import numpy; numpy.__version__ = '2.1.3'; import bombard"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: bombard was built with pybind11 {_core.pybind11_version}, which does not know NumPy 2.1.3; "
        "install numpy<2 for this Python, or build with pybind11 2.12 or newer"
    )
