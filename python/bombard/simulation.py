"""Simulations: of all storms at once, and storm by storm."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Iterable, List, NamedTuple, Optional

import numpy as np

from . import _core
from .settings import Settings, checked
from .storms import StormLike, gathered, impacts_from, impacts_of

if TYPE_CHECKING:
    from typing import Unpack

_rows_shown = 12


class Maximum(NamedTuple):
    """The most damaged point after a storm: the highest local maximum, the smallest position among equals; (0, 0.0)
    without one."""

    position: int
    value: float


class Evidence(NamedTuple):
    """How a fast or a sparse engine came to a maximum: candidates (cells) computed by the rule, a bound on the relative
    difference of the two layers; or directly, by all the arithmetic, and why. Of a sparse one the cells that it looked at,
    or why it stored the layer after all; in double precision, where nothing is confirmed, these two alone."""

    direct: bool
    candidates: int
    bound: float
    why_direct: str
    cells_seen: int
    why_dense: str


class Simulation:
    """A layer of `cells` cells, 0 at first, and the engine that applies storms to it.

    Keyword arguments are those of bombard.settings.Settings. In single precision every device and method gives the same
    maxima, bit for bit. Threads of Python may share a simulation; they take turns. When a call is ended by an exception in
    the middle of a storm, Ctrl-C's included, the layer is lost: reset() comes next.
    """

    def __init__(self, cells: int, **settings: Unpack[Settings]) -> None:
        self._core = _core.Simulation(cells, checked(settings))

    def apply(self, positions: Any, energies: Any = None) -> Maximum:
        """Applies a storm: positions (cells from 0, any integer type) and energies (thousands), n of each; or, as the only
        argument, a storm in any form that run() takes. Returns the maximum after it."""
        impacts = impacts_of(positions) if energies is None else impacts_from(positions, energies)
        return Maximum(*self._core.apply(impacts))

    def begin_with(self, layer: np.ndarray) -> None:
        """Before the first storm: the storms fall on these values, `cells` of them, instead of 0. float32 in single
        precision, float64 in double precision."""
        self._core.begin_with(np.ascontiguousarray(layer))

    def reset(self) -> None:
        """Back to a layer of 0."""
        self._core.reset()

    def layer(self) -> np.ndarray:
        """The cells after the last storm, float32, in double precision float64. In single precision those of a direct
        engine are the rule's, bit for bit; those of a fast engine are near them, and a sparse one has none (ValueError).
        The array is the caller's."""
        return self._core.layer()

    def values_at(self, cells: Any) -> np.ndarray:
        """The values of these cells after the last storm, float64, one for each cell of the list. As layer() has them;
        those of a sparse engine are, in single precision, the rule's, bit for bit."""
        return self._core.values_at(np.ascontiguousarray(cells, dtype=np.int64))

    def highest_peaks(self, count: int) -> np.ndarray:
        """The `count` highest peaks after the last storm, or all, as an array of (position, value): cells above 0 that
        exceed both their neighbours, the highest first. Values are as those of values_at()."""
        return self._core.highest_peaks(count)

    @property
    def maximum(self) -> Maximum:
        """After the last storm; (0, 0.0) before the first."""
        return Maximum(*self._core.maximum())

    @property
    def evidence(self) -> List[Evidence]:
        """How a fast or a sparse engine came to each maximum; empty from other engines."""
        return [Evidence(*each) for each in self._core.evidence()]

    @property
    def cells(self) -> int:
        return self._core.cells()

    @property
    def engine(self) -> str:
        """The engine that was chosen: "cpu_direct"."""
        return self._core.engine()

    @property
    def device(self) -> str:
        """The name of the processor or of the GPU."""
        return self._core.device()

    def __repr__(self) -> str:
        return f"<bombard.Simulation of {self.cells} cells, {self.engine} on {self.device}>"


class Result:
    """What run() gives.

    maxima    array of (position, value), one for each storm
    names     of the storms: their files', or their numbers from 1
    impacts   of each storm
    layer     the cells after the last storm
    evidence  how a fast or a sparse engine came to each maximum
    engine, device
              what computed
    seconds   that it took, reading and the start of a device left out
    """

    def __init__(
        self, simulation: Simulation, names: List[str], impacts: List[int], maxima: np.ndarray, seconds: float
    ) -> None:
        self._simulation = simulation
        self._layer: Optional[np.ndarray] = None
        self.names = names
        self.impacts = impacts
        self.maxima = maxima
        self.evidence = simulation.evidence
        self.engine = simulation.engine
        self.device = simulation.device
        self.cells = simulation.cells
        self.seconds = seconds

    @property
    def layer(self) -> np.ndarray:
        if self._layer is None:
            self._layer = self._simulation.layer()
        return self._layer

    def plot(self, axes: Any = None) -> Any:
        """Draws the layer, with the maximum of each storm, by matplotlib; returns its axes."""
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.subplots()[1]
        axes.plot(self.layer, linewidth=1)
        for number, (position, value) in enumerate(self.maxima.tolist(), 1):
            axes.plot(position, value, "v", color="tab:red")
            axes.annotate(str(number), (position, value), textcoords="offset points", xytext=(0, 6), ha="center")
        axes.set_xlabel("cell")
        axes.set_ylabel("energy")
        return axes

    def __repr__(self) -> str:
        storms = len(self.maxima)
        lines = [
            f"{self.cells} cells, {storms} storm{'' if storms == 1 else 's'}, {sum(self.impacts)} impacts; "
            f"{self.engine} on {self.device}, {self.seconds:.3g} s",
            "",
            "storm  impacts  position       maximum  file",
        ]
        for i in range(min(storms, _rows_shown)):
            position, value = self.maxima[i].tolist()
            name = "" if self.names[i] == str(i + 1) else self.names[i]
            lines.append(f"{i + 1:5}  {self.impacts[i]:7}  {position:8}  {value:12.6f}  {name}".rstrip())
        if storms > _rows_shown:
            lines.append(f"and {storms - _rows_shown} more")
        return "\n".join(lines)


def run(cells: int, storms: Iterable[StormLike], **settings: Unpack[Settings]) -> Result:
    """Simulates storms on a layer of `cells` cells that is 0 at first.

    storms    each a pair (positions, energies) of n integers, an array of two columns (n, 2) or of two fields, or a file's
              name; positions are cells from 0, energies thousands
    settings  as bombard.settings.Settings says; the expected numbers are those of `storms`
    """
    all_storms, names = gathered(storms)
    settings = {"expected_storms": len(all_storms), "expected_impacts": sum(all_storms.impacts), **settings}
    simulation = Simulation(cells, **settings)
    begin = time.perf_counter()
    maxima = simulation._core.apply_storms(all_storms)
    seconds = time.perf_counter() - begin
    return Result(simulation, names, all_storms.impacts, maxima, seconds)
