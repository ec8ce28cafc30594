"""Storms, in the forms that users can give."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, Tuple, Union

import numpy as np

from . import _core, checks
from ._core import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    #: Impacts as the compiled part takes them: a row (position, energy) for each.
    Impacts = npt.NDArray[np.int64]

#: Two arrays, (positions, energies), as a tuple; an array P x 2, with a row (position, energy) for each impact; a mapping or
#: a table with the columns position and energy; a file's name. A position is a cell, from 0 (it may lie outside the layer),
#: and an energy is in thousands.
StormLike = Union[str, "os.PathLike[str]", Tuple["npt.ArrayLike", "npt.ArrayLike"], "npt.ArrayLike", Mapping[str, Any], Any]

_forms = (
    "a storm is a tuple (positions, energies) of two arrays, an array P x 2 of rows (position, energy), a mapping with "
    "position and energy, or a file's name"
)


def impacts_from(positions: Any, energies: Any, dimensions: int = 1) -> Impacts:
    """Impacts of these positions and energies, of the same shape; the last axis has the two."""
    positions = checks.integers(positions, "positions", dimensions)
    energies = checks.integers(energies, "energies", dimensions, np.int32)
    if positions.shape != energies.shape:
        raise InputError(f"positions have the shape {positions.shape}, energies {energies.shape}: they must be the same")
    return np.stack((positions, energies), axis=-1)


def read_storm(path: Union[str, os.PathLike[str]]) -> Impacts:
    """Reads a storm file of any format; returns an array P x 2 of its impacts. InputError with file and line for anything
    that is not a storm."""
    if not isinstance(path, (str, os.PathLike)):
        raise checks.refusal("path", path, "a file's name")
    return np.frombuffer(_core.read_storm(os.fsencode(path)), np.int64).reshape(-1, 2)


def generate(
    cells: int, impacts: int, storms: int = 1, *, seed: int = 1, energies: Tuple[int, int] = (1, 1000)
) -> List[Impacts]:
    """Storms of random impacts, arrays P x 2 of (position, energy), the same as those of `bombard generate`: positions
    uniform in 0 to cells-1, energies (in thousands) uniform between the two bounds. The same seed gives the same storms on
    every machine."""
    if not isinstance(energies, (tuple, list)) or len(energies) != 2:
        raise checks.refusal("energies", energies, "a pair, the lowest and the highest")
    limits = np.iinfo(np.int32)
    bounds = tuple(checks.whole_number(energy, "energies", limits.min, limits.max) for energy in energies)
    cells = checks.whole_number(cells, "cells")
    impacts = checks.whole_number(impacts, "impacts")
    seed = checks.whole_number(seed, "seed", 0)
    return [
        np.frombuffer(_core.generate(cells, impacts, bounds, seed, index), np.int64).reshape(-1, 2)
        for index in range(checks.whole_number(storms, "storms", 0))
    ]


def impacts_of(storm: StormLike) -> Impacts:
    """The impacts of a storm in any of the forms that StormLike names."""
    if isinstance(storm, (str, os.PathLike)):
        return read_storm(storm)
    if isinstance(storm, tuple):
        if len(storm) != 2:
            raise InputError(f"a tuple of {len(storm)} is not a storm; {_forms}")
        return impacts_from(*storm)
    table: Any = storm
    names = _columns_of(table)
    if names is not None:
        if sorted(map(str, names)) != ["energy", "position"]:
            raise InputError(f"a storm has the columns position and energy, not {', '.join(map(str, names))}")
        return impacts_from(table["position"], table["energy"])
    if isinstance(storm, list) and not storm:
        return np.empty((0, 2), np.int64)
    rows = checks.integers(storm, "storm", 2)
    if rows.shape[1] != 2:
        raise InputError(f"an array of the shape {rows.shape} is not a storm; {_forms}")
    checks.integers(rows[:, 1], "energies", 1, np.int32)
    return rows


def _columns_of(storm: Any) -> Any:
    """The names of the columns of a mapping or of a table of pandas, Polars or pyarrow; None for anything else."""
    if hasattr(storm, "keys"):
        return list(storm.keys())
    return getattr(storm, "column_names", getattr(storm, "columns", None))


def gathered(storms: Iterable[StormLike]) -> Tuple[List[Impacts], List[str]]:
    """The impacts of all storms, and their names: the name of the file for a file, the number from 1 for any other."""
    is_array_of_one = isinstance(storms, np.ndarray) and storms.ndim < 3 and storms.dtype.kind in "biuf"
    if isinstance(storms, (str, os.PathLike)) or is_array_of_one or _columns_of(storms) is not None:
        raise InputError("storms is one storm; give a list of storms, [storm]")
    all_impacts = []
    names = []
    for number, storm in enumerate(checks.each(storms, "storms", "a list of storms"), 1):
        is_file = isinstance(storm, (str, os.PathLike))
        try:
            all_impacts.append(impacts_of(storm))
        except InputError as error:
            if is_file:
                raise
            raise InputError(f"storm {number}: {error}") from None
        names.append(os.fsdecode(storm) if is_file else str(number))
    return all_impacts, names
