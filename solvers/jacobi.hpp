#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inputs/matrix.hpp"
#include "solvers/device_choice.hpp"

namespace bombard {

/// Strict diagonal dominance: |a_ii| > the sum of the other |a_ij| of the row (or of the column).
/// Either kind, for every row or for every column, suffices for Jacobi's iteration to converge.
struct Dominance {
  std::optional<std::int64_t> failing_row;     ///< the first that is not dominant, from 0
  std::optional<std::int64_t> failing_column;  ///< likewise
  /// The largest (sum of the other |a_ij|) / |a_ii| of a row: below 1 when all rows are dominant,
  /// and then each sweep brings x nearer to the solution by this factor (in the largest element).
  double row_ratio = 0;
  bool suffices() const { return !failing_row || !failing_column; }
};
template <class T>
Dominance dominance(const DenseView<T>& a);
template <class T>
Dominance dominance(const SparseView<T>& a);

struct JacobiOptions {
  double tolerance = 1e-5;  ///< stop when max|x_new - x_old| <= tolerance * max|x_new|
  std::int64_t iteration_limit = 10'000;
  bool force = false;  ///< iterate without dominance too
  DeviceChoice device;
  /// Instead of the tolerance: stop when no element of x is farther from the solution than this
  /// part of the largest, by the bound of JacobiSolution. Rows must be dominant.
  std::optional<double> error = {};
  /// Instead of both: so many iterations, whatever x is by then.
  std::optional<std::int64_t> sweeps = {};
};

template <class T>
struct JacobiSolution {
  std::vector<T> x;  ///< the last iterate; not all finite when x overflowed
  std::int64_t iterations;
  bool converged;    ///< or the sweeps asked for are done; false: x is not the solution
  double change;     ///< max|x_new - x_old| / max|x_new| of the last iteration; NaN: x overflowed
  double tolerance;  ///< what `change` had to come to; of no meaning for sweeps
  double relative_residual;  ///< |b - A x| / |b|, Euclidean, in double
  /// With dominant rows, what no element is farther from the solution than, as a part of the
  /// largest one: q / (1 - q) * change, q the row ratio (the fixed-point theorem), in exact
  /// arithmetic.
  std::optional<double> error_bound;
  Dominance dominance;
  bool on_gpu;
};

/// Jacobi-Richardson iteration for A x = b, T float or double: x_i += (b_i - sum_j a_ij x_j) / a_ii
/// for all i at once, from the vector of before (two vectors, so no order of rows matters).
///
/// a      n x n
/// b      n elements
/// start  n elements, or none for zeros
///
/// The same numbers every time on one device; devices sum rows in different orders and may differ
/// by rounding. Small changes alone do not make a small error: see `relative_residual` and
/// `error_bound`. Throws InputError for shapes that do not match, a diagonal element that is zero
/// or missing, values that are not finite, no dominance without `force` (no dominant rows, for an
/// error).
template <class T>
JacobiSolution<T> jacobi(const DenseView<T>& a, std::span<const T> b, std::span<const T> start,
                         const JacobiOptions& options);
template <class T>
JacobiSolution<T> jacobi(const SparseView<T>& a, std::span<const T> b, std::span<const T> start,
                         const JacobiOptions& options);

/// |b - A x| / |b|, Euclidean, in double, for numbers of any size; 0 when the residual is 0.
template <class T, class X>
double relative_residual(const DenseView<T>& a, std::span<const T> b, const std::vector<X>& x);
template <class T, class X>
double relative_residual(const SparseView<T>& a, std::span<const T> b, const std::vector<X>& x);

/// The solution by another way, in double: what `--validate` compares with.
struct JacobiReference {
  std::vector<double> x;
  double relative_residual;
  const char* method;
};

/// By a factorization, where A is large by conjugate gradients (BiCGSTAB).
template <class T>
JacobiReference jacobi_reference(const DenseMatrix<T>& a, std::span<const T> b);
template <class T>
JacobiReference jacobi_reference(const SparseMatrix<T>& a, std::span<const T> b);

}  // namespace bombard
