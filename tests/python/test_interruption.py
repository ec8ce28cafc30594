"""An exception from a signal handler ends a long call; so does Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading

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


positions = np.arange(100_000)
simulation = bombard.Simulation(2_000_000, engine="cpu_direct")


@pytest.mark.parametrize(
    "call, arguments, options",
    [
        (simulation.apply, (positions, positions), {}),
        (bombard.ensemble, (2_000_000, (positions.reshape(1, 1, -1),) * 2), {"engine": "cpu_direct"}),
        (bombard.solve.jacobi, ([[4, 1], [2, 5]], [6, 12]), {"sweeps": 2**60, "device": "cpu"}),
    ],
)
def test_of_a_long_call(ring, call, arguments, options):
    ring()
    with pytest.raises(Rung):
        call(*arguments, **options)
    simulation.reset()
    assert simulation.apply([5], [5]).position == 5


def test_of_a_wait_for_a_file(ring, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for reads in (bombard.read_storm, lambda pipe: bombard.run(60, [pipe]), bombard.Simulation(60).apply):
        for file in (tmp_path / "pipe", "/dev/zero"):
            ring()
            with pytest.raises(Rung):
                reads(file)


def test_of_a_wait_for_another_thread(ring):
    thread = threading.Thread(target=simulation.apply, args=(positions[:4000], positions[:4000]))
    thread.start()
    ring()
    with pytest.raises(Rung):
        while thread.is_alive():
            simulation.layer()
    assert thread.is_alive()  # what it computes goes on
    thread.join()
    simulation.reset()


@pytest.mark.parametrize("asks", [lambda: simulation.maximum, lambda: simulation.apply([1], [1]), simulation.reset])
def test_a_handler_cannot_ask_a_simulation_in_the_middle_of_a_storm(ring, asks):
    signal.signal(signal.SIGALRM, lambda number, frame: asks())
    ring()
    with pytest.raises(bombard.CannotRun, match="the simulation is in the middle of a storm: a signal handler cannot ask it"):
        simulation.apply(positions, positions)
    simulation.reset()


@pytest.mark.parametrize("call", ["Simulation(2_000_000, engine='cpu_direct').apply(many, many)", "solve.jacobi([[4, 1], [2, 5]], [6, 12], sweeps=2**60)"])
def test_the_end_of_the_interpreter_ends_what_daemons_compute(call):
    # Daemons ask for signals at different times; after the interpreter's end the process waits until some have asked.
    code = f"""
import ctypes, threading, time, bombard, numpy
from bombard import Simulation, solve
libc = ctypes.CDLL(None)
libc.__cxa_atexit(libc.usleep, ctypes.c_void_p(300_000), None)
many = numpy.arange(100_000)
for _ in range(4):
    threading.Thread(target=lambda: {call}, daemon=True).start()
    time.sleep(0.03)
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
