"""Checks of what callers pass, before it goes to the compiled part. Errors name the argument and say what it can be."""

from __future__ import annotations

import numbers
import operator
import reprlib
from typing import TYPE_CHECKING, Any, Iterator, List

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
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputError(f"{name}: some values are masked; give those that count, .compressed(), or fill the others")
    if hasattr(values, "isna"):
        values = _without_gaps(values, name)
    try:
        all_values = np.asarray(values)
    except ValueError as error:  # lists of different lengths
        raise InputError(f"{name}: not an array: {error}") from None
    if all_values.size == 0 and kinds == "iu":
        all_values = all_values.astype(np.int64)
    if all_values.dtype.kind not in kinds:
        some = {"iu": "integers of up to 64 bits", "f": "of a floating-point type"}.get(kinds, "real numbers")
        raise InputError(f"{name}: {all_values.dtype} values; they must be {some}")
    if all_values.ndim != dimensions:
        some = "1 dimension" if dimensions == 1 else f"{dimensions} dimensions"
        raise InputError(f"{name}: the shape is {all_values.shape}; it must have {some}")
    return all_values if all_values.dtype.isnative else all_values.astype(all_values.dtype.newbyteorder("="))


def _without_gaps(values: Any, name: str) -> Any:
    """Values of pandas; those of a nullable type, if none is missing, in NumPy's type."""
    plain = getattr(getattr(values, "dtype", None), "numpy_dtype", None)
    if not isinstance(plain, np.dtype):
        return values
    missing = np.asarray(values.isna())
    if missing.any():
        where = int(np.argmax(missing))
        raise InputError(f"{name}[{where}] is missing; leave those out, .dropna(), or fill them, .fillna(VALUE)")
    return values.to_numpy(dtype=plain)


def floats(values: npt.NDArray[Any], name: str, dtype: Any = np.float64) -> npt.NDArray[Any]:
    """Real numbers as contiguous floats of this type. InputError for a value of 64 bits or more that float64 cannot
    hold."""
    known = values.dtype.itemsize < 8 or values.dtype == np.float64
    if not known and values.dtype.kind in "iu":
        known = max(int(values.max(initial=0)), -int(values.min(initial=0))) <= 2**53
    if known:
        return np.ascontiguousarray(values, dtype)
    exact = values.astype(np.longdouble)  # it holds every integer of 64 bits
    with np.errstate(over="ignore"):
        held = (exact.astype(np.float64) == exact) | np.isnan(exact)
    if not held.all():
        where = tuple(int(i) for i in np.argwhere(~held)[0])
        index = ", ".join(map(str, where))
        value = str(values[where])
        raise InputError(f"{name}[{index}]: float64 does not hold {value} exactly; round it first, .astype(numpy.float64)")
    return np.ascontiguousarray(values, dtype)


def integers(values: Any, name: str) -> npt.NDArray[np.int64]:
    """A contiguous array of one dimension."""
    found = array(values, name, "iu", 1)
    if found.dtype == np.uint64:
        within(found, 0, _largest, name + "[{}]:")
    return np.ascontiguousarray(found, np.int64)


def within(values: npt.NDArray[Any], lowest: int, highest: int, where: str) -> None:
    """InputError for the first value out of this range; "{}" in `where` is its index."""
    if values.size == 0 or (lowest <= int(values.min()) and int(values.max()) <= highest):
        return
    flat: List[Any] = values.reshape(-1).tolist()
    index, value = next((i, value) for i, value in enumerate(flat) if not lowest <= value <= highest)
    raise InputError(f"{where.format(index)} {value} is not between {lowest} and {highest}")
