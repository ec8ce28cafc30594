"""Checks of what callers pass, before it goes to the compiled part. Errors name the argument and say what it can be."""

from __future__ import annotations

import numbers
import operator
import reprlib
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

from ._core import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

_largest = 2**63 - 1


def refusal(name: str, value: Any, what: str) -> InputError:
    return InputError(f"{name}={reprlib.repr(value)} is not {what}")


def whole_number(value: Any, name: str, lowest: int = -_largest - 1, highest: int = _largest) -> int:
    """A Python or NumPy integer in this range; True and False do not count as integers."""
    try:
        number = operator.index(value)
    except TypeError:
        number = highest + 1
    if isinstance(value, (bool, np.bool_)) or not lowest <= number <= highest:
        some = "a whole number" if lowest < 0 else f"a whole number, {lowest} or more"
        raise refusal(name, value, some if highest == _largest else f"a whole number from {lowest} to {highest}")
    return number


def real_number(value: Any, name: str) -> float:
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            pass
    raise refusal(name, value, "a number")


def word(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise refusal(name, value, "a string")
    return value


def flag(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise refusal(name, value, "True or False")
    return bool(value)


def each(values: Any, name: str, what: str) -> Iterator[Any]:
    """Its elements, one after another."""
    try:
        return iter(values)
    except TypeError:
        raise refusal(name, values, what) from None


def array(values: Any, name: str, kinds: str, dimensions: int) -> npt.NDArray[Any]:
    """An array with this number of dimensions whose type is of one of these kinds ("iuf"), in this machine's byte order.
    An empty array counts as integers, whatever its type."""
    if isinstance(values, np.ma.MaskedArray):
        raise InputError(f"{name}: a masked array; give the values that count, .compressed()")
    try:
        found = np.asarray(values)
    except ValueError as error:  # lists of different lengths
        raise InputError(f"{name}: not an array: {error}") from None
    if found.size == 0 and kinds == "iu":
        found = found.astype(np.int64)
    if found.dtype.kind not in kinds:
        some = {"iu": "integers of up to 64 bits", "f": "of a floating-point type"}.get(kinds, "real numbers")
        raise InputError(f"{name}: {found.dtype} values; they must be {some}, and none may be missing")
    if found.ndim != dimensions:
        some = "1 dimension" if dimensions == 1 else f"{dimensions} dimensions"
        raise InputError(f"{name}: the shape is {found.shape}; it must have {some}")
    return found.astype(found.dtype.newbyteorder("="), copy=False)


def floats(values: npt.NDArray[Any], name: str, dtype: Any = np.float64) -> npt.NDArray[Any]:
    """Real numbers as contiguous floats of this type, each of which float64 holds."""
    if values.dtype.itemsize >= 8 and values.dtype != np.float64:
        exact = values.astype(np.longdouble)  # it holds every integer of 64 bits
        with np.errstate(over="ignore"):
            _require(values, (exact.astype(np.float64) == exact) | np.isnan(exact), name, "a number that float64 holds exactly")
    return np.ascontiguousarray(values, dtype)


def integers(values: Any, name: str, dimensions: int = 1, dtype: Any = np.int64) -> npt.NDArray[Any]:
    """A contiguous array of int64 whose values `dtype` holds."""
    found = array(values, name, "iu", dimensions)
    if found.dtype != dtype:
        limits = np.iinfo(dtype)
        _require(found, found.astype(dtype) == found, name, f"between {limits.min} and {limits.max}")
    return np.ascontiguousarray(found, np.int64)


def _require(values: npt.NDArray[Any], good: npt.NDArray[np.bool_], name: str, what: str) -> None:
    """InputError for the first value that is not good."""
    if not good.all():
        where = tuple(int(i) for i in np.argwhere(~good)[0])
        raise InputError(f"{name}[{', '.join(map(str, where))}]: {values[where]!s} is not {what}")
