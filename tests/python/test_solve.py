import numpy as np
import pytest

import bombard
from bombard import solve

rng = np.random.default_rng(7)


def dominant(n, dtype=np.float64):
    return (rng.uniform(-1, 1, (n, n)) + 2 * n * np.eye(n)).astype(dtype)


def test_each_operation():
    for dtype in (np.float32, np.float64):
        a, x = dominant(50, dtype), np.arange(50, dtype=dtype)
        result = solve.jacobi(a, a @ x, tolerance=1e-6)
        assert result.converged and result.x.dtype == dtype and not result.on_gpu
        assert np.allclose(result.x, x, atol=1e-3)
        assert result.relative_residual < 1e-5 and result.error_bound < 1e-5
        assert solve.jacobi(a.T.copy().T, a @ x, start=result.x).iterations <= 2
        assert np.allclose(solve.product(a, a), a @ a, rtol=1e-4) and solve.product(a, a).dtype == dtype
        assert np.allclose(solve.dot(a, a[:, ::-1]), (a * a[:, ::-1]).sum(axis=1), rtol=1e-4)
        assert solve.maximum(x) == 49 and solve.sum(x[:0]) == 0
    values = np.array([3.0, np.nan, -1.0])
    assert np.array_equal(solve.sort(values), [-1, 3, np.nan], equal_nan=True) and values[0] == 3
    assert solve.sort([3, 1, 2], descending=True).tolist() == [3, 2, 1]
    assert solve.sort(np.array([3, 1, 2], np.int8)).dtype == np.int32
    assert solve.sort(np.array([2, 1], np.float16)).dtype == np.float64
    assert solve.sum(np.full(3, 2**31 - 1, np.int32)) == 3 * (2**31 - 1)
    matrices = rng.integers(-9, 9, (20, 3, 3), np.int32)
    assert np.array_equal(solve.minima(matrices), matrices.min(axis=0))


def test_jacobi_of_scipy_drops_nothing():
    sparse = pytest.importorskip("scipy.sparse")
    a = dominant(30)
    a[np.abs(a) < 0.5] = 0
    b = rng.uniform(size=30)
    for matrix in (sparse.csr_matrix(a), sparse.coo_matrix(a), sparse.csc_array(a)):
        assert np.allclose(solve.jacobi(matrix, b, tolerance=1e-12).x, np.linalg.solve(a, b))
    for form in ("csr", "csc", "coo", "bsr", "lil", "dia"):
        with pytest.raises(ValueError, match="a: complex128 values; they must be real numbers"):
            solve.jacobi(sparse.csr_matrix([[4, 1j], [2, 5]]).asformat(form), [6, 12])
    duplicates = sparse.coo_matrix(([2.0, 2, 1, 5], ([0, 0, 0, 1], [0, 0, 1, 1])))
    assert np.allclose(solve.jacobi(duplicates, [6, 5], tolerance=1e-12).x, [1.25, 1])


wide = np.longdouble


@pytest.mark.parametrize(
    "lost, shown",
    [
        (np.array([1, 2**53 + 1]), "9007199254740993"),
        (np.array([1, 2**64 - 1], np.uint64), "18446744073709551615"),
        (np.array([1, wide("1e400")]), r"1e\+400"),
        (np.array([1, wide(2**63) + 1]), r"9.223372036854775809e\+18"),
    ],
)
def test_values_that_float64_does_not_hold_are_refused(lost, shown):
    message = rf"\[.*1.*\]: {shown} is not a number that float64 holds exactly"
    column, row = lost.reshape(2, 1), lost.reshape(1, 2)
    eye = np.eye(2)
    for call in (
        *(lambda: solve.sum(lost), lambda: solve.sort(lost), lambda: solve.maximum(lost)),
        *(lambda: solve.product(row, eye), lambda: solve.product(eye, column), lambda: solve.dot(eye[:1], row)),
        *(lambda: solve.jacobi(eye, lost), lambda: solve.jacobi(eye, [1, 2], start=lost)),
        lambda: solve.jacobi(np.diag(lost), [1, 2]),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_integers_that_float64_holds_are_taken_everywhere():
    large = np.array([2**40, -(2**53) - 2, 3])
    assert solve.sum(large) == large.sum()
    assert solve.maximum(large) == 2**40 and isinstance(solve.maximum(large), int)
    assert solve.sort(large).tolist() == sorted(large.tolist())
    assert solve.sort(np.array([2**63, 1], np.uint64)).dtype == np.uint64
    assert solve.jacobi(np.eye(3), large).x.tolist() == large.tolist()
    assert solve.product(large.reshape(1, 3), np.eye(3)).tolist() == [large.tolist()]
    assert solve.sum(np.array([1.5], wide)) == 1.5


@pytest.mark.parametrize(
    "form, damaged, values",
    [
        ("csr", "indptr", [0, 2**30, 4]),
        ("csr", "indptr", [0, 4]),
        ("csr", "indices", [0, 1, 0, 2]),
        ("csr", "indices", [0, 1.5, 0, 1]),
        ("csc", "indices", [0, 1, 0, 2**30]),
        ("bsr", "indptr", [0, 2**30, 4]),
        ("coo", "row", [0, 0, 1]),
        ("coo", "row", [0, 0, 1, 2**30]),
        ("coo", "col", [0, 1, 0, -7]),
    ],
)
def test_jacobi_looks_at_indices_before_scipy_does(form, damaged, values):
    sparse = pytest.importorskip("scipy.sparse")
    options = {"blocksize": (1, 1)} if form == "bsr" else {}
    matrix = getattr(sparse, f"{form}_matrix")(np.array([[4.0, 1], [2, 5]]), **options)
    setattr(matrix, damaged, np.array(values))
    with pytest.raises(bombard.InputError, match="a is damaged: |is not between"):
        solve.jacobi(matrix, [6, 12])
