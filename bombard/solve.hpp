#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "bombard/device.hpp"
#include "bombard/errors.hpp"
#include "bombard/matrices.hpp"

namespace bombard {

/// Strict diagonal dominance: |a_ii| > the sum of the other |a_ij| of the row (or of the column).
/// Either kind, for every row or for every column, suffices for Jacobi's iteration to converge.
struct Dominance {
  std::optional<std::int64_t> failing_row;  ///< the first one that is not dominant, counted from 0
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

/// The solvers of `bombard solve`, on arrays in memory. T is float or double, and for sort(),
/// sum(), maximum() and minima() also std::int32_t.
///
/// Device::automatic takes a GPU if there is one, and if the CPU alone would need longer than a GPU
/// takes to start. Each solver gives the same numbers every time on one device; devices may differ
/// by rounding. Throws as Simulation does.
namespace bombard::solve {

struct JacobiSettings {
  Device device = {};
  double tolerance = 1e-5;  ///< stop when max|x_new - x_old| <= tolerance * max|x_new|
  std::int64_t iteration_limit = 10'000;
  bool force = false;  ///< iterate even without diagonal dominance
  /// Instead of the tolerance: stop when no element of x is farther from the solution than this
  /// part of the largest. Rows must be dominant.
  std::optional<double> error = {};
  /// Instead of both: this number of iterations, whatever x is by then.
  std::optional<std::int64_t> sweeps = {};
  /// Called several times a second in the caller's thread; an exception from it ends the call.
  std::function<void()> interrupt = {};
};

using bombard::Dominance;
using bombard::JacobiResult;

/// Jacobi-Richardson iteration for A x = b. Throws InputError for shapes that do not match, a
/// diagonal element that is zero or missing, values that are not finite, or no diagonal dominance
/// without `force`.
///
/// a      n x n
/// b      n elements
/// start  n elements, or none for zeros
template <class T>
[[gnu::visibility("default")]] JacobiResult<T> jacobi(
    const DenseView<T>& a, std::type_identity_t<std::span<const T>> b,
    std::type_identity_t<std::span<const T>> start = {}, const JacobiSettings& settings = {});
template <class T>
[[gnu::visibility("default")]] JacobiResult<T> jacobi(
    const SparseView<T>& a, std::type_identity_t<std::span<const T>> b,
    std::type_identity_t<std::span<const T>> start = {}, const JacobiSettings& settings = {});

/// A B, a.rows x b.columns, row by row; sums in T. The kernel on a GPU is naive, tiled or cublas,
/// and a name makes Device::automatic take a GPU; auto: cuBLAS where this build has it, otherwise
/// tiled.
template <class T>
[[gnu::visibility("default")]] std::vector<T> product(const DenseView<T>& a, const DenseView<T>& b,
                                                      const Device& device = {},
                                                      const std::string& kernel = "auto");

/// The scalar product of each row of A with the same row of B; sums in double.
template <class T>
[[gnu::visibility("default")]] std::vector<double> dot(const DenseView<T>& a, const DenseView<T>& b,
                                                       const Device& device = {});

/// Sorts in place. NaN stands last in either order. The kernel on a GPU is radix (CUB) or bitonic.
/// Returns whether it ran on a GPU.
template <class T>
[[gnu::visibility("default")]] bool sort(std::span<T> values, bool descending = false,
                                         const Device& device = {},
                                         const std::string& kernel = "radix");

/// Exact for integers, in double otherwise; 0 for no values.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
template <class T>
[[gnu::visibility("default")]] Sum<T> sum(std::span<const T> values, const Device& device = {});

/// The largest value; NaN if one of them is NaN. Throws InputError for no values.
template <class T>
[[gnu::visibility("default")]] T maximum(std::span<const T> values, const Device& device = {});

/// The element-wise minimum of 3 x 3 matrices, which follow one another row by row; NaN where one
/// of them has NaN. Throws InputError if there is no matrix. auto is the CPU.
template <class T>
[[gnu::visibility("default")]] std::array<T, 9> minima(std::span<const T> matrices,
                                                       const Device& device = {});

}  // namespace bombard::solve
