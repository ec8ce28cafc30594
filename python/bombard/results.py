"""All storms at once, and their results."""

from __future__ import annotations

import copy
import html
import operator
import time
from dataclasses import InitVar, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Union, overload

import numpy as np

from . import _core, checks
from ._core import InputError
from .plots import drawn
from .settings import Settings
from .simulation import Evidence, Simulation, maximum_type
from .storms import StormLike, gathered

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

_rows_shown = 12


class StormResult(NamedTuple):
    """The result of a storm: its number from 1, the name of its file or its number, its number of impacts, and the maximum
    after it."""

    storm: int
    name: str
    impacts: int
    position: int
    maximum: float


@dataclass(eq=False, repr=False)
class Result(Sequence[StormResult]):
    """The result of run(): a sequence of StormResult, one for each storm. It can be pickled; its layer goes with it if the
    engine has one, or if it was asked for before."""

    simulation: InitVar[Simulation]
    names: List[str]  #: of the storms: their files' names, or their numbers from 1
    impacts: List[int]  #: of each storm
    maxima: npt.NDArray[np.void]  #: (position, value), one for each storm
    seconds: float  #: of the run, without reading files and starting a device
    layers: Optional[npt.NDArray[Any]] = None  #: with run(layers=True), the cells after each storm, storms x cells
    peaks: Optional[List[npt.NDArray[np.void]]] = None  #: with run(peaks=N), for each storm an array of (position, value)

    def __post_init__(self, simulation: Simulation) -> None:
        self._simulation: Optional[Simulation] = simulation
        self._layer: Optional[npt.NDArray[Any]] = None
        self.evidence: List[Evidence] = simulation.evidence  #: how a fast or a sparse engine found each maximum
        self.engine, self.device, self.cells = simulation.engine, simulation.device, simulation.cells  #: what computed it

    @property
    def layer(self) -> npt.NDArray[Any]:
        """The cells after the last storm."""
        if self._layer is None:
            self._layer = self._after_the_last_storm().layer()
        return self._layer

    def values_at(self, cells: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The values of these cells after the last storm, as from Simulation.values_at()."""
        return self._after_the_last_storm().values_at(cells)

    def highest_peaks(self, count: int) -> npt.NDArray[np.void]:
        """The `count` highest peaks after the last storm, as from Simulation.highest_peaks()."""
        return self._after_the_last_storm().highest_peaks(count)

    def _after_the_last_storm(self) -> Simulation:
        if self._simulation is None:
            if self._layer is None:
                raise InputError("a result that was pickled without its layer has none; ask before it is pickled")
            double = self._layer.dtype == np.float64
            self._simulation = Simulation(self.cells, engine="cpu_double" if double else "cpu_direct")
            self._simulation.begin_with(self._layer)
        return self._simulation

    def __copy__(self) -> Result:
        copied = object.__new__(Result)
        copied.__dict__.update(self.__dict__)  # both ask one simulation, which no one changes
        return copied

    def __deepcopy__(self, memo: Dict[int, Any]) -> Result:
        memo[id(self._simulation)] = self._simulation
        copied = copy.copy(self)
        copied.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return copied

    def __getstate__(self) -> Dict[str, Any]:
        if not self.engine.endswith(("_fast", "_sparse")):
            self.layer
        return {**self.__dict__, "_simulation": None}

    def __len__(self) -> int:
        return len(self.maxima)

    @overload
    def __getitem__(self, index: int) -> StormResult: ...
    @overload
    def __getitem__(self, index: slice) -> List[StormResult]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[StormResult, List[StormResult]]:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        number = range(len(self))[operator.index(index)]
        position, value = self.maxima[number].item()
        return StormResult(number + 1, self.names[number], self.impacts[number], position, value)

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each storm: name, impacts, position, maximum."""
        import pandas

        return pandas.DataFrame(list(self), columns=StormResult._fields).set_index("storm")

    def plot(self, axes: Any = None) -> Any:
        """Draws the layer, with the maximum of each storm, using matplotlib; returns its axes."""
        return drawn(self.layer, [(storm.position, storm.maximum, str(storm.storm)) for storm in self], axes)

    def _heading(self) -> str:
        storms = len(self)
        return (
            f"{self.cells} cells, {storms} storm{'' if storms == 1 else 's'}, {sum(self.impacts)} impacts; "
            f"{self.engine} on {self.device}, {self.seconds:.3g} s"
        )

    def __repr__(self) -> str:
        lines = [self._heading(), "", "storm  impacts  position       maximum  file"]
        for storm in islice(self, _rows_shown):
            name = "" if storm.name == str(storm.storm) else storm.name
            lines.append(f"{storm.storm:5}  {storm.impacts:7}  {storm.position:8}  {storm.maximum:12.6f}  {name}".rstrip())
        return "\n".join(lines + self._more())

    def _more(self) -> List[str]:
        return [f"and {len(self) - _rows_shown} more"] if len(self) > _rows_shown else []

    def _repr_html_(self) -> str:
        """For notebooks."""
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(value))}</td>" for value in storm) + "</tr>"
            for storm in islice(self, _rows_shown)
        )
        head = "".join(f"<th>{name}</th>" for name in StormResult._fields)
        lines = "".join(f"<p>{html.escape(line)}</p>" for line in [self._heading(), *self._more()])
        return f"{lines}<table><tr>{head}</tr>{rows}</table>"


def run(
    cells: int,
    storms: Iterable[StormLike],
    *,
    layers: bool = False,
    peaks: int = 0,
    on_storm: Optional[Callable[[StormResult], Any]] = None,
    **settings: Unpack[Settings],
) -> Result:
    """Simulates storms on a layer of `cells` cells that is 0 at first.

    storms    each a tuple (positions, energies) of two integer arrays, an array P x 2 of rows (position, energy), a mapping
              with position and energy, or a file's name; positions are cells from 0, energies thousands
    layers    keep the layer after each storm, too
    peaks     keep this number of the highest peaks after each storm
    on_storm  called with a StormResult after each storm; when it returns True, the run ends there, and the result has
              the storms so far
    settings  see bombard.settings.Settings; the expected numbers are those of `storms`

    With layers or peaks, "auto" takes an engine that has them.
    """
    layers, peaks = checks.flag(layers, "layers"), checks.whole_number(peaks, "peaks", 0)
    all_impacts, names = gathered(storms)
    sizes = [len(impacts) for impacts in all_impacts]
    expected: Settings = {"expected_storms": len(sizes), "expected_impacts": sum(sizes)}
    expected["wanted"] = "layer" if layers else "cells" if peaks > 0 else "maxima"
    expected.update(settings)
    simulation = Simulation(cells, **expected)
    begin = time.perf_counter()
    if not layers and peaks == 0 and on_storm is None:
        maxima = np.frombuffer(simulation._core.apply_storms(all_impacts), maximum_type)
        return Result(simulation, names, sizes, maxima, time.perf_counter() - begin)
    kept_layers: Optional[npt.NDArray[Any]] = None
    if layers:
        _core.require_memory(len(names) * simulation.cells * simulation._type.itemsize, "the layer after each storm")
        kept_layers = np.empty((len(names), simulation.cells), simulation._type)
    kept_peaks: List[npt.NDArray[np.void]] = []
    maxima = np.empty(len(names), maximum_type)
    done, stop = 0, False
    while done < len(names) and not stop:
        maxima[done] = maximum = simulation.apply(all_impacts[done])
        if kept_layers is not None:
            kept_layers[done] = simulation.layer()
        if peaks > 0:
            kept_peaks.append(simulation.highest_peaks(peaks))
        done += 1
        if on_storm is not None:
            answer = on_storm(StormResult(done, names[done - 1], sizes[done - 1], *maximum))
            stop = isinstance(answer, (bool, np.bool_)) and bool(answer)
    return Result(
        simulation, names[:done], sizes[:done], maxima[:done], time.perf_counter() - begin,
        None if kept_layers is None else kept_layers[:done], kept_peaks if peaks > 0 else None,
    )
