"""What a signal's handler raises ends a long call, Ctrl-C's included."""

import signal

import numpy as np
import pytest

import bombard


class Rung(Exception):
    pass


@pytest.fixture
def ring():
    """Raises Rung in this thread, a twentieth of a second from now."""

    def raise_it(number, frame):
        raise Rung

    before = signal.signal(signal.SIGALRM, raise_it)
    yield lambda: signal.setitimer(signal.ITIMER_REAL, 0.05)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_of_a_storm(ring):
    simulation = bombard.Simulation(2_000_000, engine="cpu_direct")
    positions = np.arange(100_000)
    ring()
    with pytest.raises(Rung):
        simulation.apply(positions, positions)
    simulation.reset()
    assert simulation.apply([5], [5]).position == 5


def test_of_jacobi(ring):
    ring()
    with pytest.raises(Rung):
        bombard.solve.jacobi([[4, 1], [2, 5]], [6, 12], sweeps=2**60, device="cpu")


def test_of_sorting(ring):
    values = np.arange(20_000_000, dtype=np.float32)[::-1].copy()
    ring()
    with pytest.raises(Rung):
        bombard.solve.sort(values, device="cpu")


def test_of_an_ensemble_of_one_long_run(ring):
    positions = np.arange(100_000).reshape(1, 1, -1)
    ring()
    with pytest.raises(Rung):
        bombard.ensemble(2_000_000, (positions, positions), engine="cpu_direct")
