"""Storms, in all the forms that users can give."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Tuple, Union

import numpy as np

from . import _core, checks
from ._core import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

#: An impact: a position (a cell, from 0; it may lie outside the layer) and an energy in thousands. A storm of this type is
#: taken as it is.
impact_type: np.dtype[np.void] = np.dtype(
    {"names": ["position", "energy"], "formats": [np.int64, np.int32], "offsets": [0, 8], "itemsize": 16}
)

#: A tuple (positions, energies) of two arrays; rows (position, energy) as an array or a list; a table with the columns
#: position and energy; a file's name.
StormLike = Union[str, "os.PathLike[str]", Tuple["npt.ArrayLike", "npt.ArrayLike"], "npt.ArrayLike", Any]

_energies = np.iinfo(np.int32)


def impacts_from(positions: Any, energies: Any, dimensions: int = 1) -> npt.NDArray[np.void]:
    """Impacts of these positions and energies, of the same shape."""
    positions = checks.array(positions, "positions", "iu", dimensions)
    energies = checks.array(energies, "energies", "iu", dimensions)
    if positions.shape != energies.shape:
        raise InputError(f"positions have the shape {positions.shape}, energies {energies.shape}: they must be the same")
    if positions.dtype == np.uint64:
        checks.within(positions, 0, np.iinfo(np.int64).max, "impact {}: position")
    if energies.dtype != np.int32:
        checks.within(energies, _energies.min, _energies.max, "impact {}: energy")
    impacts = np.empty(positions.shape, impact_type)
    impacts["position"] = positions
    impacts["energy"] = energies
    return impacts


def read_storm(path: Union[str, os.PathLike[str]]) -> npt.NDArray[np.void]:
    """Reads a storm file, text, CSV or .npy; returns its impacts, of impact_type. InputError with file and line for anything
    that is not a storm."""
    if not isinstance(path, (str, os.PathLike)):
        raise checks.refusal("path", path, "a file's name")
    return np.frombuffer(_core.read_storm(os.fspath(path)), impact_type)


def generate(
    cells: int, impacts: int, storms: int = 1, *, seed: int = 1, energies: Tuple[int, int] = (1, 1000)
) -> List[npt.NDArray[np.void]]:
    """Storms of random impacts, the same as those of `bombard generate`: positions uniform in 0 to cells-1, energies (in
    thousands) uniform between the two bounds. The same seed gives the same storms on every machine."""
    if not isinstance(energies, (tuple, list)) or len(energies) != 2:
        raise checks.refusal("energies", energies, "a pair, the lowest and the highest")
    lowest, highest = (checks.whole_number(energy, "energies", _energies.min, _energies.max) for energy in energies)
    cells = checks.whole_number(cells, "cells")
    impacts = checks.whole_number(impacts, "impacts")
    seed = checks.whole_number(seed, "seed", 0)
    return [
        np.frombuffer(_core.generate(cells, impacts, (lowest, highest), seed, index), impact_type)
        for index in range(checks.whole_number(storms, "storms", 0))
    ]


def impacts_of(storm: StormLike) -> npt.NDArray[np.void]:
    """The impacts of a storm in any of the forms that StormLike names; one of impact_type is returned as it is."""
    if isinstance(storm, (str, os.PathLike)):
        return read_storm(storm)
    if isinstance(storm, (tuple, list)):
        _refuse_what_could_be_both(storm)
    if isinstance(storm, tuple):
        if len(storm) != 2:
            raise InputError(f"a tuple of {len(storm)} is not a storm; {_forms}")
        return impacts_from(*storm)
    columns = _columns_of(storm)
    if columns is not None and getattr(storm, "dtype", None) != impact_type:
        return _of_columns(columns)
    if isinstance(storm, np.ma.MaskedArray) and np.ma.is_masked(storm):
        raise InputError("a storm with masked impacts; give those that count, or fill the others")
    try:
        array = np.asarray(storm)
    except ValueError as error:
        raise InputError(f"not a storm: {error}; {_forms}") from None
    if array.dtype == impact_type and array.ndim == 1:
        return np.ascontiguousarray(array)
    if array.ndim == 2 and array.shape[1] == 2:
        return impacts_from(array[:, 0], array[:, 1])
    if array.size == 0:
        return np.empty(0, impact_type)
    raise InputError(f"an array of {array.dtype} and the shape {array.shape} is not a storm; {_forms}")


_forms = (
    "a storm is a tuple (positions, energies) of two arrays, rows (position, energy) as an array or a list, a table "
    "with the columns position and energy, or a file's name"
)


def _columns_of(storm: Any) -> Optional[Dict[Any, Any]]:
    """The columns by name: those of a dictionary or a table of pandas, an array's fields, or those of any library's table
    that supports Arrow's interface."""
    names = storm.keys() if hasattr(storm, "keys") else getattr(getattr(storm, "dtype", None), "names", None)
    if names is not None:
        return {name: storm[name] for name in names}
    if hasattr(storm, "__arrow_c_stream__"):
        columns = _core.columns_of_arrow(storm.__arrow_c_stream__())
        return {name: np.frombuffer(values, dtype) for name, (dtype, values) in columns.items()}
    return None


def _of_columns(columns: Dict[Any, Any]) -> npt.NDArray[np.void]:
    for position, energy in (("position", "energy"), ("positions", "energies")):
        if set(columns) == {position, energy}:
            return impacts_from(columns[position], columns[energy])
    raise InputError(f"a storm has the columns position and energy, not {', '.join(map(str, columns))}; rename them")


def _refuse_what_could_be_both(storm: Any) -> None:
    """Two tuples of two, or two arrays of two in a list: a pair for one reader, two rows for the other."""
    if len(storm) != 2:
        return
    tuples = isinstance(storm, tuple) and all(isinstance(each, tuple) and len(each) == 2 for each in storm)
    arrays = isinstance(storm, list) and all(isinstance(each, np.ndarray) and each.shape == (2,) for each in storm)
    if tuples or arrays:
        raise InputError(
            "this may be two rows (position, energy) or a pair (positions, energies); "
            "give rows as numpy.array(storm), a pair as a tuple of two arrays or lists"
        )


def gathered(storms: Iterable[StormLike]) -> Tuple[List[npt.NDArray[np.void]], List[str]]:
    """The impacts of all storms, and their names: the name of the file for a file, the number from 1 for any other."""
    dtype, dimensions = getattr(storms, "dtype", None), getattr(storms, "ndim", 0)
    if dtype is None:
        is_one = isinstance(storms, (str, os.PathLike)) or _columns_of(storms) is not None
    else:
        is_one = dimensions < 2 if dtype.names else dtype.kind in "biuf" and dimensions < 3
    if is_one:
        raise InputError("storms is one storm; give a list of storms, [storm]")
    all_impacts = []
    names = []
    for number, storm in enumerate(checks.each(storms, "storms", "a list of storms"), 1):
        if isinstance(storm, (str, os.PathLike)):
            all_impacts.append(read_storm(storm))
            names.append(os.fspath(storm))
            continue
        try:
            all_impacts.append(impacts_of(storm))
        except InputError as error:
            raise InputError(f"storm {number}: {error}") from None
        names.append(str(number))
    return all_impacts, names
