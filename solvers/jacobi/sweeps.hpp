#pragma once

#include <cstdint>
#include <span>

namespace bombard {

/// A square sparse matrix in CSR: row r's entries stand at row_offsets[r] .. row_offsets[r + 1].
template <class T>
struct CsrView {
  std::span<const std::int64_t> row_offsets;  ///< n + 1
  std::span<const std::int32_t> column_indices;
  std::span<const T> values;
};

/// How far an iteration came.
struct JacobiProgress {
  std::int64_t iterations = 0;
  double change = 0;  ///< max|x_new - x_old| / max|x_new|; NaN when x overflowed
  bool converged = false;
};

}  // namespace bombard

/// Jacobi-Richardson iteration, T float or double: x_i <- x_i + (b_i - sum_j a_ij x_j) / a_ii for
/// all i from the x of before, until max|x_new - x_old| <= tolerance * max|x_new|, at most `limit`
/// times; it ends early when x is no longer finite. Deterministic on a device.
///
/// a            n x n, row by row; or the CSR of an n x n matrix
/// diagonal, b  n; no zero in the diagonal
/// x            n; the start on entry, the last iterate on return
namespace bombard::cpu {
template <class T>
JacobiProgress jacobi(std::span<const T> a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, double tolerance, std::int64_t limit);
template <class T>
JacobiProgress jacobi(const CsrView<T>& a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, double tolerance, std::int64_t limit);
}  // namespace bombard::cpu

/// Spans of device memory; waits for the answer. The whole iteration is one launch: the host hears
/// of it at its end.
namespace bombard::cuda {
template <class T>
JacobiProgress jacobi(std::span<const T> a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, double tolerance, std::int64_t limit);
template <class T>
JacobiProgress jacobi(const CsrView<T>& a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, double tolerance, std::int64_t limit);

/// The usual way, for comparison: a cuBLAS gemv, one kernel for x and its change, and a host that
/// looks at the change after every sweep. Throws CannotRun without cuBLAS.
template <class T>
JacobiProgress jacobi_by_gemv(std::span<const T> a, std::span<const T> diagonal,
                              std::span<const T> b, std::span<T> x, double tolerance,
                              std::int64_t limit);
}  // namespace bombard::cuda
