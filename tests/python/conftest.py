"""What the tests share: the tree, samples and devices."""

import os
import signal
from pathlib import Path

import pytest

import bombard

# A shell makes its background jobs ignore Ctrl-C, and every program that a test starts and interrupts would ignore it, too.
signal.signal(signal.SIGINT, signal.default_int_handler)

source = Path(__file__).resolve().parents[2]


@pytest.fixture
def samples():
    """The three sample storms of a layer of 60 cells."""
    return [str(source / f"inputs/samples/layer_60_storm_{i}.txt") for i in (1, 2, 3)]


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    """Each device; a GPU that is not there is skipped, unless BOMBARD_REQUIRE_GPU is 1."""
    if request.param == "cuda":
        try:
            bombard.Simulation(1, device="cuda")
        except RuntimeError as error:
            if os.environ.get("BOMBARD_REQUIRE_GPU") == "1":
                raise
            pytest.skip(str(error))
    return request.param
