"""Solvers on NumPy arrays: linear systems, products, sorting, minima, sums.

`device` is "auto", "cpu", "cuda" or "cuda:N". Each gives the same numbers every time on one device. float32 arrays are
solved in float32, other real numbers in float64; sort(), sum(), maximum() and minima() take int32, too.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from . import _core


class JacobiResult(NamedTuple):
    """What jacobi() gives."""

    x: np.ndarray  #: the last iterate, n
    iterations: int
    converged: bool  #: or the sweeps asked for are done; False: x is not the solution
    change: float  #: max|x_new - x_old| / max|x_new| of the last iteration
    relative_residual: float  #: |b - A x| / |b|
    error_bound: Optional[float]  #: with dominant rows: no element is farther from the solution, relative to the largest
    on_gpu: bool


def _numbers(values: Any, dimensions: int, what: str) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != dimensions:
        raise ValueError(f"{what} has {array.ndim} dimensions, not {dimensions}")
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{what} holds {array.dtype}, not real numbers")
    return array


def _as_type(array: np.ndarray, dtype: Any) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=dtype)


def _float_type(*arrays: np.ndarray) -> Any:
    return np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64


def _elements(values: Any, dimensions: int) -> np.ndarray:
    """Of a type that these solvers know, without a change of values."""
    array = _numbers(values, dimensions, "the array")
    if array.dtype in (np.int32, np.float32, np.float64):
        return np.ascontiguousarray(array)
    if array.dtype.kind == "f" and array.dtype.itemsize < 8:
        return _as_type(array, np.float64)
    limits = np.iinfo(np.int32)
    if array.dtype.kind in "iu" and (array.size == 0 or limits.min <= int(array.min()) <= int(array.max()) <= limits.max):
        return _as_type(array, np.int32)
    raise ValueError(f"int32, float32 or float64 do not hold the array's values of {array.dtype}")


def jacobi(
    a: Any,
    b: Any,
    *,
    start: Any = None,
    tolerance: float = 1e-5,
    iteration_limit: int = 10_000,
    force: bool = False,
    error: Optional[float] = None,
    sweeps: Optional[int] = None,
    device: str = "auto",
) -> JacobiResult:
    """Jacobi-Richardson iteration for A x = b.

    a          n x n, an array or a scipy.sparse matrix
    b, start   n; without a start, zeros
    tolerance  stop when max|x_new - x_old| <= tolerance * max|x_new|
    error      instead: stop when no element is farther from the solution than this part of the largest
    sweeps     instead of both: this number of iterations
    force      iterate without diagonal dominance, too

    ValueError for shapes that do not match, a zero on the diagonal, values that are not finite, no dominance.
    """
    sparse = hasattr(a, "tocsr")
    matrix = a.tocsr() if sparse else _numbers(a, 2, "A")
    right = _numbers(b, 1, "b")
    dtype = _float_type(matrix, right)
    right = _as_type(right, dtype)
    first = _as_type(_numbers(() if start is None else start, 1, "the start vector"), dtype)
    settings = {
        "device": device,
        "tolerance": tolerance,
        "iteration_limit": iteration_limit,
        "force": force,
        "error": error,
        "sweeps": sweeps,
    }
    if not sparse:
        return JacobiResult(*_core.jacobi(_as_type(matrix, dtype), right, first, settings))
    if not matrix.has_canonical_format:  # columns rise, each once
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if max(matrix.shape) > np.iinfo(np.int32).max:
        raise ValueError(f"A has the shape {matrix.shape}: columns must fit into 32 bits")
    return JacobiResult(
        *_core.jacobi_sparse(
            *matrix.shape,
            _as_type(matrix.indptr, np.int64),
            _as_type(matrix.indices, np.int32),
            _as_type(matrix.data, dtype),
            right,
            first,
            settings,
        )
    )


def product(a: Any, b: Any, *, device: str = "auto") -> np.ndarray:
    """A B, of arrays m x k and k x n."""
    a, b = _numbers(a, 2, "A"), _numbers(b, 2, "B")
    dtype = _float_type(a, b)
    return _core.product(_as_type(a, dtype), _as_type(b, dtype), device)


def dot(a: Any, b: Any, *, device: str = "auto") -> np.ndarray:
    """The scalar product of each row of A with the same row of B, of arrays n x d: n float64, sums in double."""
    a, b = _numbers(a, 2, "A"), _numbers(b, 2, "B")
    dtype = _float_type(a, b)
    return _core.dot(_as_type(a, dtype), _as_type(b, dtype), device)


def sort(values: Any, *, descending: bool = False, device: str = "auto") -> np.ndarray:
    """A sorted copy of n values. NaN stands last in either order (its sign is lost), -0 below +0."""
    array = _elements(values, 1).copy()
    _core.sort(array, descending, device)
    return array


def sum(values: Any, *, device: str = "auto") -> Any:
    """The sum of n values: of integers exact, otherwise in float64; 0 of none."""
    return _core.sum(_elements(values, 1), device)


def maximum(values: Any, *, device: str = "auto") -> Any:
    """The largest of n values; NaN if one of them is NaN. ValueError for none."""
    return _core.maximum(_elements(values, 1), device)


def minima(matrices: Any) -> np.ndarray:
    """The element-wise minimum of matrices n x 3 x 3: an array 3 x 3. NaN where one of them has NaN."""
    array = _elements(matrices, 3)
    if array.shape[1:] != (3, 3):
        raise ValueError(f"matrices have the shape {array.shape}, not n x 3 x 3")
    return _core.minima(array)
