"""A simulation, storm by storm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, NamedTuple, NoReturn

import numpy as np

from . import _core, checks
from ._core import InputError
from .plots import drawn
from .settings import Settings, checked
from .storms import impacts_from, impacts_of

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

#: A maximum or a peak.
maximum_type: np.dtype[np.void] = np.dtype([("position", np.int64), ("value", np.float64)])


class Maximum(NamedTuple):
    """The most damaged point after a storm: the highest local maximum, at the smallest position among equals; (0, 0.0)
    if there is none."""

    position: int
    value: float


class Evidence(NamedTuple):
    """How a fast or a sparse engine found a maximum: how many candidates (cells) it computed by the rule, and a bound on
    the relative difference of the two layers; or that it gave up, so that all the arithmetic was done directly, and why.
    For a sparse engine, also the number of cells that it looked at."""

    direct: bool
    candidates: int
    bound: float
    cells_seen: int
    why: str


class Simulation:
    """A layer of `cells` cells, 0 at first, and the engine that applies storms to it.

    Keyword arguments are those of bombard.settings.Settings. In single precision every device and method gives the same
    maxima, bit for bit. Python threads may share a simulation; they take turns. When an exception, Ctrl-C included, ends a
    call in the middle of a storm, the layer is lost: call reset() next.
    """

    def __init__(self, cells: int, **settings: Unpack[Settings]) -> None:
        self._core = _core.Simulation(checks.whole_number(cells, "cells"), checked(settings))
        self._type: np.dtype[Any] = np.dtype(np.float64 if self._core.in_double() else np.float32)
        self.cells: int = self._core.cells()
        self.device: str = self._core.device()  #: the name of the CPU or of the GPU

    def apply(self, positions: Any, energies: Any = None) -> Maximum:
        """Applies a storm: positions (cells from 0, any integer type) and energies (thousands), n of each; or, as the only
        argument, a storm in any form that run() takes. Returns the maximum after it."""
        impacts = impacts_of(positions) if energies is None else impacts_from(positions, energies)
        return Maximum(*self._core.apply(impacts))

    def begin_with(self, layer: npt.ArrayLike) -> None:
        """Starts from these values, `cells` finite numbers, instead of 0; to be called before the first storm. float32 in
        single precision, where the engine must be a direct one, float64 in double precision."""
        values = checks.array(layer, "layer", "f", 1)
        if not np.isfinite(values).all():
            cell = int(np.argmin(np.isfinite(values)))
            raise InputError(f"layer[{cell}] is {values[cell]}; every cell of a layer is a finite number")
        if values.dtype not in (np.float32, np.float64):
            raise InputError(f"layer: {values.dtype} values; this simulation begins with {self._type}")
        self._core.begin_with(np.ascontiguousarray(values))

    @property
    def engine(self) -> str:
        """The one that computes now: "cpu_direct"."""
        name: str = self._core.engine()
        return name

    def reset(self) -> None:
        """Sets the layer back to 0."""
        self._core.reset()

    def layer(self) -> npt.NDArray[Any]:
        """The cells after the last storm, float32, or float64 in double precision. In single precision they are the rule's,
        bit for bit: if the engine has no layer, a direct one takes all storms so far again, and goes on. The array belongs
        to the caller."""
        return np.frombuffer(self._core.layer(), self._type)

    def values_at(self, cells: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The values of these cells after the last storm, float64, one for each cell of the list. They are those of
        layer()."""
        return np.frombuffer(self._core.values_at(checks.integers(cells, "cells")), maximum_type)["value"].copy()

    def highest_peaks(self, count: int) -> npt.NDArray[np.void]:
        """The `count` highest peaks after the last storm, or all, as an array of (position, value): cells above 0 that
        exceed both their neighbours, the highest first. The values are those of values_at(). A sparse engine gives those
        that it can prove, which may be fewer."""
        return np.frombuffer(self._core.highest_peaks(checks.whole_number(count, "count", 0)), maximum_type)

    @property
    def maximum(self) -> Maximum:
        """The maximum after the last storm; (0, 0.0) before the first."""
        return Maximum(*self._core.maximum())

    def plot(self, axes: Any = None) -> Any:
        """Draws the layer, with the maximum after the last storm, using matplotlib; returns its axes."""
        position, value = self.maximum
        return drawn(self.layer(), [(position, value, f"{value:g}")] if value > 0 else [], axes)

    @property
    def evidence(self) -> List[Evidence]:
        """How a fast or a sparse engine found each maximum; empty for other engines."""
        return [Evidence(*each) for each in self._core.evidence()]

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Simulation cannot be copied or pickled; make another one that begins with its layer()")

    def __repr__(self) -> str:
        return f"<bombard.Simulation of {self.cells} cells, {self.engine} on {self.device}>"
