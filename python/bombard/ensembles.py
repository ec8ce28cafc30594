"""Many independent runs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, List, Tuple, Union

import numpy as np

from . import _core, checks
from ._core import InputError
from .settings import Settings, checked
from .simulation import maximum_type
from .storms import StormLike, impacts_from, impacts_of

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

    from .storms import Impacts

    #: Impacts, and where storms and runs begin among them.
    Runs = Tuple[Impacts, npt.NDArray[np.int64], npt.NDArray[np.int64]]

_forms = (
    "a tuple (positions, energies) of arrays runs x storms x impacts, or a list of runs, each a list of storms as run() "
    "takes them"
)


def _of_equal_runs(positions: Any, energies: Any) -> Runs:
    impacts = impacts_from(positions, energies, dimensions=3)
    runs, storms, size, _ = impacts.shape
    return (
        impacts.reshape(-1, 2),
        np.arange(runs * storms + 1, dtype=np.int64) * size,
        np.arange(runs + 1, dtype=np.int64) * storms,
    )


def _of_runs(runs: Iterable[Iterable[StormLike]]) -> Runs:
    storms: List[Impacts] = []
    run_starts = [0]
    for run in checks.each(runs, "storms_of_each_run", "a list of runs"):
        storms.extend(impacts_of(storm) for storm in checks.each(run, "run", "a list of storms"))
        run_starts.append(len(storms))
    sizes = np.fromiter((len(storm) for storm in storms), np.int64, len(storms))
    storm_starts = np.zeros(len(storms) + 1, np.int64)
    np.cumsum(sizes, out=storm_starts[1:])
    impacts = np.concatenate(storms) if storms else np.empty((0, 2), np.int64)
    return impacts, storm_starts, np.array(run_starts, np.int64)


def ensemble(
    cells: int,
    storms_of_each_run: Union[Iterable[Iterable[StormLike]], Tuple[npt.NDArray[Any], npt.NDArray[Any]]],
    **settings: Unpack[Settings],
) -> Union[npt.NDArray[np.void], List[npt.NDArray[np.void]]]:
    """Computes many independent runs, each on its own layer of `cells` cells, 0 at first.

    storms_of_each_run  for each run a list of storms as run() takes them; or a tuple (positions, energies) of integer
                        arrays runs x storms x impacts, which is fastest
    settings            see bombard.settings.Settings; the expected numbers have no meaning here

    Returns an array of (position, value), runs x storms, when all runs have the same number of storms, otherwise a list
    with an array for each run. The digits are the same as in single runs. Each core of the CPU computes one run at a time;
    GPUs are refused.
    """
    given = storms_of_each_run
    of_each = 0  # storms
    arrays = isinstance(given, (tuple, list)) and [isinstance(each, np.ndarray) and each.ndim == 3 for each in given]
    if isinstance(given, tuple) and arrays == [True, True]:
        of_each = given[0].shape[1]
        impacts, storm_starts, run_starts = _of_equal_runs(*given)
    elif isinstance(given, tuple) or arrays == [True, True]:
        raise InputError(f"this may be a pair or a list of runs; give {_forms}")
    else:
        impacts, storm_starts, run_starts = _of_runs(given)
    maxima = np.frombuffer(
        _core.ensemble(checks.whole_number(cells, "cells"), impacts, storm_starts, run_starts, checked(settings)),
        maximum_type,
    )
    storms = np.diff(run_starts)
    if np.all(storms == storms[:1]):
        return maxima.reshape(storms.size, storms[0] if storms.size > 0 else of_each)
    return np.split(maxima, run_starts[1:-1])
