#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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

/// The result of Jacobi's iteration.
template <class T>
struct JacobiResult {
  std::vector<T> x;  ///< the last iterate; not all finite when x overflowed
  std::int64_t iterations;
  bool converged;    ///< true also when the requested sweeps are done; false: x is not the solution
  double change;     ///< max|x_new - x_old| / max|x_new| of the last iteration; NaN: x overflowed
  double tolerance;  ///< the limit for `change`; without meaning for sweeps
  double relative_residual;  ///< |b - A x| / |b|, Euclidean, in double
  /// With dominant rows, no element is farther from the solution than this part of the largest one:
  /// q / (1 - q) * change, where q is the row ratio (the fixed-point theorem), in exact arithmetic.
  std::optional<double> error_bound;
  Dominance dominance;
  bool on_gpu;
};

}  // namespace bombard
