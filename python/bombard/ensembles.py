"""Many independent runs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, List, Tuple, Union

import numpy as np

from . import _core
from .settings import Settings, checked
from .storms import StormLike, impacts_from, impacts_of

if TYPE_CHECKING:
    from typing import Unpack


def _of_equal_runs(positions: np.ndarray, energies: Any) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Impacts, and where storms and runs begin, of arrays runs x storms x impacts."""
    energies = np.asarray(energies)
    if positions.shape != energies.shape:
        raise ValueError(f"positions have the shape {positions.shape}, energies {energies.shape}: they must be the same")
    runs, storms, impacts = positions.shape
    return (
        impacts_from(positions.reshape(-1), energies.reshape(-1)),
        np.arange(runs * storms + 1, dtype=np.int64) * impacts,
        np.arange(runs + 1, dtype=np.int64) * storms,
    )


def _of_runs(runs: Iterable[Iterable[StormLike]]) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    storms: List[np.ndarray] = []
    run_starts = [0]
    for run in runs:
        storms.extend(impacts_of(storm) for storm in run)
        run_starts.append(len(storms))
    sizes = np.fromiter((storm.size for storm in storms), np.int64, len(storms))
    storm_starts = np.zeros(len(storms) + 1, np.int64)
    np.cumsum(sizes, out=storm_starts[1:])
    impacts = np.empty(storm_starts[-1], _core.impact_type)
    if storms:
        np.concatenate(storms, out=impacts)
    return impacts, storm_starts, np.array(run_starts, np.int64)


def ensemble(
    cells: int, storms_of_each_run: Iterable[Iterable[StormLike]], **settings: Unpack[Settings]
) -> Union[np.ndarray, List[np.ndarray]]:
    """Computes many independent runs, each on a layer of its own of `cells` cells, 0 at first.

    storms_of_each_run  for each run a list of storms as run() takes them; or a pair (positions, energies) of integer
                        arrays runs x storms x impacts, which is quickest
    settings            as bombard.settings.Settings says; expected storms and impacts do not matter

    Returns an array of (position, value), runs x storms, when all runs have equally many storms, otherwise a list with an
    array for each run. The digits are those of single runs. On the processor each core takes one run at a time.
    """
    given = storms_of_each_run
    if isinstance(given, tuple) and len(given) == 2 and getattr(given[0], "ndim", 0) == 3:
        impacts, storm_starts, run_starts = _of_equal_runs(*given)
    else:
        impacts, storm_starts, run_starts = _of_runs(given)
    maxima = _core.ensemble(cells, impacts, storm_starts, run_starts, checked(settings))
    storms = np.diff(run_starts)
    if storms.size > 0 and np.all(storms == storms[0]):
        return maxima.reshape(storms.size, storms[0])
    return np.split(maxima, run_starts[1:-1]) if storms.size > 0 else []
