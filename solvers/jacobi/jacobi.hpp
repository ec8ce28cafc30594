#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bombard/jacobi_result.hpp"
#include "inputs/matrix.hpp"
#include "solvers/device_choice.hpp"

namespace bombard {

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
  /// part of the largest, by the bound of JacobiResult. Rows must be dominant.
  std::optional<double> error = {};
  /// Instead of both: so many iterations, whatever x is by then.
  std::optional<std::int64_t> sweeps = {};
  /// Called several times a second; what it throws ends the iteration.
  std::function<void()> interrupt = {};
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
JacobiResult<T> jacobi(const DenseView<T>& a, std::span<const T> b, std::span<const T> start,
                       const JacobiOptions& options);
template <class T>
JacobiResult<T> jacobi(const SparseView<T>& a, std::span<const T> b, std::span<const T> start,
                       const JacobiOptions& options);

/// |b - A x| / |b|, Euclidean, in double, for numbers of any size; 0 when the residual is 0.
template <class T, class X>
double relative_residual(const DenseView<T>& a, std::span<const T> b, const std::vector<X>& x);
template <class T, class X>
double relative_residual(const SparseView<T>& a, std::span<const T> b, const std::vector<X>& x);

}  // namespace bombard
