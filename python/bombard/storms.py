"""Storms, in the forms in which users have them."""

from __future__ import annotations

import os
from typing import Any, Iterable, Sequence, Tuple, Union

import numpy as np

from . import _core

#: An impact: a position (a cell, from 0; it may lie outside the layer) and an energy in thousands. A storm of this type is
#: taken as it is.
impact_type: np.dtype = _core.impact_type

#: A pair (positions, energies) of integer arrays, an array of two columns or of two fields, or a file's name.
StormLike = Union[str, "os.PathLike[str]", Tuple[Any, Any], Sequence[Any], np.ndarray]

_largest_energy = np.iinfo(np.int32).max


def _integers(values: Any, what: str) -> np.ndarray:
    """As an array of one dimension; ValueError unless it holds integers."""
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{what} are {array.dtype}: they must be integers")
    if array.ndim != 1:
        raise ValueError(f"{what} have the shape {array.shape}: a storm has one dimension")
    return array


def _check_range(array: np.ndarray, lowest: int, highest: int, what: str) -> None:
    """ValueError for the first that the type of impacts does not hold."""
    if array.size == 0 or (lowest <= int(array.min()) and int(array.max()) <= highest):
        return
    index, value = next((i, value) for i, value in enumerate(array.tolist()) if not lowest <= value <= highest)
    raise ValueError(f"impact {index}: {what} {value} is not between {lowest} and {highest}")


def impacts_from(positions: Any, energies: Any) -> np.ndarray:
    """Impacts of these positions and energies, one energy for each position."""
    positions = _integers(positions, "positions")
    energies = _integers(energies, "energies")
    if positions.size != energies.size:
        raise ValueError(
            f"{positions.size} positions and {energies.size} energies: a storm has one energy for each position"
        )
    if positions.dtype == np.uint64:
        _check_range(positions, 0, np.iinfo(np.int64).max, "position")
    if energies.dtype != np.int32:
        _check_range(energies, -_largest_energy - 1, _largest_energy, "energy")
    impacts = np.empty(positions.size, impact_type)
    impacts["position"] = positions
    impacts["energy"] = energies
    return impacts


def read_storm(path: "str | os.PathLike[str]") -> np.ndarray:
    """Reads a storm file, text or .npy; returns its impacts, of impact_type. ValueError with file and line for anything
    that is not a storm."""
    return _core.read_storm(os.fspath(path))


def impacts_of(storm: StormLike) -> np.ndarray:
    """The impacts of a storm in any of the forms that StormLike names; one of impact_type is returned as it is."""
    if isinstance(storm, (str, os.PathLike)):
        return read_storm(storm)
    if isinstance(storm, (tuple, list)) and len(storm) == 2:
        return impacts_from(*storm)
    array = np.asarray(storm)
    if array.dtype == impact_type and array.ndim == 1:
        return np.ascontiguousarray(array)
    if array.dtype.names is not None and len(array.dtype.names) == 2:
        names = array.dtype.names
        if set(names) == {"position", "energy"}:
            names = ("position", "energy")
        return impacts_from(array[names[0]], array[names[1]])
    if array.ndim == 2 and array.shape[1] == 2:
        return impacts_from(array[:, 0], array[:, 1])
    if array.size == 0:
        return np.empty(0, impact_type)
    raise ValueError(
        f"an array of {array.dtype} and the shape {array.shape} is not a storm; that is a pair (positions, energies), an "
        "array of two columns or two fields, or a file's name"
    )


def gathered(storms: Iterable[StormLike]) -> Tuple["_core.Storms", "list[str]"]:
    """All storms, to be applied together, and their names: of files theirs, of others their number from 1."""
    if isinstance(storms, (str, os.PathLike)):
        raise ValueError("storms is one file's name; give a list of storms, [name]")
    all_storms = _core.Storms()
    names = []
    for number, storm in enumerate(storms, 1):
        if isinstance(storm, (str, os.PathLike)):
            all_storms.add_file(os.fspath(storm))
            names.append(os.fspath(storm))
        else:
            all_storms.add(impacts_of(storm))
            names.append(str(number))
    return all_storms, names
