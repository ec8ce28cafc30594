"""What the tests share: the tree, and the rule as a plain loop."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

import bombard

# A shell ignores Ctrl-C in a job of its background, and so would every program that a test starts and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

source = Path(__file__).resolve().parents[2]


@pytest.fixture
def samples():
    """The three sample storms of a layer of 60 cells."""
    return [str(source / f"inputs/samples/layer_60_storm_{i}.txt") for i in (1, 2, 3)]


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    """Each device; a GPU that is not there is skipped, but not where BOMBARD_REQUIRE_GPU is 1."""
    if request.param == "cuda":
        try:
            bombard.Simulation(1, device="cuda")
        except RuntimeError as error:
            if os.environ.get("BOMBARD_REQUIRE_GPU") == "1":
                raise
            pytest.skip(str(error))
    return request.param


@pytest.fixture
def by_the_rule():
    """(maxima, layer) of storms of (position, energy), by docs/methods.md alone."""

    def compute(cells, storms):
        layer = np.zeros(cells, np.float32)
        maxima = []
        k = np.arange(cells)
        f = np.float32
        for storm in storms:
            for position, energy in storm:
                share = f(energy) * f(1000) / f(cells) / np.sqrt((np.abs(position - k) + 1).astype(f))
                counts = np.abs(share) >= f(0.001) / f(cells)
                layer = np.where(counts, layer + share, layer)
            relaxed = layer.copy()
            relaxed[1:-1] = (layer[:-2] + layer[1:-1] + layer[2:]) / f(3)
            layer = relaxed
            best = (0, 0.0)
            for cell in range(1, cells - 1):
                value = float(layer[cell])
                if value > best[1] and layer[cell] > layer[cell - 1] and layer[cell] > layer[cell + 1]:
                    best = (cell, value)
            maxima.append(best)
        return maxima, layer

    return compute
