"""Particle bombardment of a layer, on GPUs and CPUs.

run() simulates storms on a layer and reports the most damaged point after each; Simulation takes storms one by one;
ensemble() computes many independent runs at once; bombard.solve has solvers on NumPy arrays. plan() describes a run
beforehand, devices() lists the devices, generate() makes random storms. `python -m bombard` runs the program.

Errors are InputError, a ValueError, for what the caller passed, and CannotRun, a RuntimeError, for what this machine
cannot do. Ctrl-C usually ends a long call within a second.
"""

from . import solve
from ._core import CannotRun, InputError
from ._core import version as __version__
from .ensembles import ensemble
from .judging import judge
from .machine import Device, Plan, devices, plan
from .results import Result, StormResult, run
from .simulation import Evidence, Maximum, Simulation
from .storms import generate, read_storm

__all__ = [
    "CannotRun",
    "Device",
    "Evidence",
    "InputError",
    "Maximum",
    "Plan",
    "Result",
    "Simulation",
    "StormResult",
    "__version__",
    "devices",
    "ensemble",
    "generate",
    "judge",
    "plan",
    "read_storm",
    "run",
    "solve",
]
