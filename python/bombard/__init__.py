"""Particle bombardment of a layer, on GPUs and CPUs.

run() simulates storms on a layer and tells the most damaged point after each; Simulation takes storms one by one;
ensemble() computes many independent runs at once; bombard.solve has solvers on NumPy arrays.

Errors are ValueError, for what the caller gave, and RuntimeError, for what this machine cannot do, with the words of the
program `bombard`. Ctrl-C ends a long call within a second, as a rule.
"""

from . import solve
from ._core import version as __version__
from .ensembles import ensemble
from .simulation import Evidence, Maximum, Result, Simulation, run
from .storms import impact_type, read_storm

__all__ = [
    "Evidence",
    "Maximum",
    "Result",
    "Simulation",
    "__version__",
    "ensemble",
    "impact_type",
    "read_storm",
    "run",
    "solve",
]
