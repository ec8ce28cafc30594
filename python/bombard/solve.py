"""Solvers on NumPy arrays: linear systems, products, sorting, minima, sums.

`device` is "auto", "cpu", "cuda" or "cuda:N". On one device the numbers are the same every time. float32 arrays are solved
in float32, other real numbers in float64, which must hold each of them; sort(), sum(), maximum() and minima() take 32-bit
integers as they are.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _core, checks
from ._core import InputError

if TYPE_CHECKING:
    import numpy.typing as npt


class JacobiResult(NamedTuple):
    """The result of jacobi()."""

    x: npt.NDArray[Any]  #: the last iterate, n
    iterations: int
    converged: bool  #: or the requested sweeps are done; False: x is not the solution
    change: float  #: max|x_new - x_old| / max|x_new| of the last iteration
    relative_residual: float  #: |b - A x| / |b|
    error_bound: Optional[float]  #: with dominant rows: no element is off by more, relative to the largest element
    on_gpu: bool


def _float_type(*arrays: npt.NDArray[Any]) -> Any:
    return np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64


def _elements(values: Any, dimensions: int, name: str = "values") -> Tuple[npt.NDArray[Any], Any]:
    """An array of a type that these solvers know, with unchanged values; and the type of their result."""
    array = checks.array(values, name, "iuf", dimensions)
    if array.dtype == np.float32:
        return np.ascontiguousarray(array), np.float32
    limits = np.iinfo(np.int32)
    if array.dtype.kind in "iu" and (array.size == 0 or limits.min <= int(array.min()) <= int(array.max()) <= limits.max):
        return np.ascontiguousarray(array, np.int32), np.int32
    return checks.floats(array, name), np.float64 if array.dtype.kind == "f" else array.dtype


def _rows_of(matrix: Any) -> Any:
    """A scipy.sparse matrix row by row, with rising, distinct columns. SciPy follows the indices unchecked, so they are
    checked first."""
    _check_indices(matrix)
    rows = matrix.tocsr()
    _check_indices(rows)
    if np.dtype(rows.dtype).kind not in "iuf":
        raise InputError(f"a: {rows.dtype} values; they must be real numbers")
    if max(rows.shape) > np.iinfo(np.int32).max:
        raise InputError(f"a has the shape {rows.shape}: columns must fit into 32 bits")
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def _check_indices(matrix: Any) -> None:
    """InputError for indices of CSR, CSC, BSR or COO that are outside the matrix; other formats have none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # about indices that are not integers
            if hasattr(matrix, "check_format"):
                matrix.check_format(full_check=True)
            int(matrix.nnz)  # for COO: a row and a column for each value
    except (ValueError, Warning) as error:
        raise InputError(f"a is damaged: {error}") from None
    if hasattr(matrix, "row"):
        for values, end, name in ((matrix.row, matrix.shape[0], "row"), (matrix.col, matrix.shape[1], "col")):
            indices = checks.integers(values, f"a.{name}")
            if indices.size > 0 and not 0 <= indices.min() <= indices.max() < end:
                raise InputError(f"a is damaged: an index of a.{name} is not between 0 and {end - 1}")


def jacobi(
    a: Any,
    b: npt.ArrayLike,
    *,
    start: Optional[npt.ArrayLike] = None,
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
    error      instead: stop when no element is farther from the solution than this part of the largest element
    sweeps     instead of both: this number of iterations
    force      iterate without diagonal dominance, too

    InputError for shapes that do not match, a zero on the diagonal, values that are not finite, no dominance.
    """
    settings = {
        "device": checks.word(device, "device"),
        "tolerance": checks.real_number(tolerance, "tolerance"),
        "iteration_limit": checks.whole_number(iteration_limit, "iteration_limit", 1),
        "force": checks.flag(force, "force"),
        "error": None if error is None else checks.real_number(error, "error"),
        "sweeps": None if sweeps is None else checks.whole_number(sweeps, "sweeps", 0),
    }
    sparse = hasattr(a, "tocsr")
    matrix: Any = _rows_of(a) if sparse else checks.array(a, "a", "iuf", 2)
    right = checks.array(b, "b", "iuf", 1)
    first = checks.array(() if start is None else start, "start", "iuf", 1)
    dtype = _float_type(matrix, right)
    vectors = checks.floats(right, "b", dtype), checks.floats(first, "start", dtype)
    if sparse:
        starts, indices = np.ascontiguousarray(matrix.indptr, np.int64), np.ascontiguousarray(matrix.indices, np.int32)
        values = checks.floats(matrix.data, "a.data", dtype)
        solved = _core.jacobi_sparse(*matrix.shape, starts, indices, values, *vectors, settings)
    else:
        solved = _core.jacobi(checks.floats(matrix, "a", dtype), *vectors, settings)
    return JacobiResult(np.frombuffer(solved[0], dtype), *solved[1:])


def _pair(a: npt.ArrayLike, b: npt.ArrayLike) -> Tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Two matrices of the same floating-point type."""
    left, right = checks.array(a, "a", "iuf", 2), checks.array(b, "b", "iuf", 2)
    dtype = _float_type(left, right)
    return checks.floats(left, "a", dtype), checks.floats(right, "b", dtype)


def product(a: npt.ArrayLike, b: npt.ArrayLike, *, device: str = "auto") -> npt.NDArray[Any]:
    """The product A B of arrays m x k and k x n."""
    left, right = _pair(a, b)
    values = _core.product(left, right, checks.word(device, "device"))
    return np.frombuffer(values, left.dtype).reshape(left.shape[0], right.shape[1])


def dot(a: npt.ArrayLike, b: npt.ArrayLike, *, device: str = "auto") -> npt.NDArray[np.float64]:
    """The scalar product of each row of A with the same row of B, arrays n x d: n float64, sums in double."""
    return np.frombuffer(_core.dot(*_pair(a, b), checks.word(device, "device")), np.float64)


def sort(values: npt.ArrayLike, *, descending: bool = False, device: str = "auto") -> npt.NDArray[Any]:
    """A sorted copy of n values. NaN stands last in either order."""
    array, dtype = _elements(values, 1)
    array = array.copy()
    _core.sort(array, checks.flag(descending, "descending"), checks.word(device, "device"))
    return array.astype(dtype, copy=False)


def sum(values: npt.ArrayLike, *, device: str = "auto") -> Union[int, float]:
    """The sum of n values: exact for 32-bit integers, otherwise in float64; 0 if there are none."""
    total: Union[int, float] = _core.sum(_elements(values, 1)[0], checks.word(device, "device"))
    return total


def maximum(values: npt.ArrayLike, *, device: str = "auto") -> Union[int, float]:
    """The largest of n values; NaN if one of them is NaN. InputError if there are none."""
    array, dtype = _elements(values, 1)
    largest: Union[int, float] = _core.maximum(array, checks.word(device, "device"))
    return int(largest) if np.dtype(dtype).kind in "iu" else largest


def minima(matrices: npt.ArrayLike) -> npt.NDArray[Any]:
    """The element-wise minimum of matrices n x 3 x 3: an array 3 x 3. NaN where one of them has NaN."""
    array, dtype = _elements(matrices, 3, "matrices")
    if array.shape[1:] != (3, 3):
        raise InputError(f"matrices have the shape {array.shape}, not n x 3 x 3")
    return np.frombuffer(_core.minima(array), array.dtype).reshape(3, 3).astype(dtype, copy=False)
