#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "bombard/errors.hpp"
#include "bombard/matrix_views.hpp"

/// The solvers of `bombard solve`, on arrays in memory. T is float or double, and for sort(),
/// sum(), maximum() and minima() also std::int32_t.
///
/// `device` is auto, cpu, cuda or cuda:N; auto takes a GPU where one is there and the processor
/// alone would need longer than a GPU takes to start. Each gives the same numbers every time on one
/// device; devices may differ by rounding. Errors are those of Simulation.
namespace bombard::solve {

struct JacobiSettings {
  std::string device = "auto";
  double tolerance = 1e-5;  ///< stop when max|x_new - x_old| <= tolerance * max|x_new|
  std::int64_t iteration_limit = 10'000;
  bool force = false;  ///< iterate without diagonal dominance, too
  /// Instead of the tolerance: stop when no element of x is farther from the solution than this
  /// part of the largest. Rows must be dominant.
  std::optional<double> error = {};
  /// Instead of both: so many iterations, whatever x is by then.
  std::optional<std::int64_t> sweeps = {};
};

template <class T>
struct JacobiResult {
  std::vector<T> x;  ///< the last iterate; not all finite when x overflowed
  std::int64_t iterations;
  bool converged;            ///< or the sweeps asked for are done; false: x is not the solution
  double change;             ///< max|x_new - x_old| / max|x_new| of the last iteration
  double relative_residual;  ///< |b - A x| / |b|, Euclidean, in double
  /// With dominant rows, what no element is farther from the solution than, as a part of the
  /// largest one (in exact arithmetic).
  std::optional<double> error_bound;
  bool on_gpu;
};

/// Jacobi-Richardson iteration for A x = b. Throws InputError for shapes that do not match, a
/// diagonal element that is zero or missing, values that are not finite, no diagonal dominance
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

/// A B, a.rows x b.columns, row by row; sums in T.
template <class T>
[[gnu::visibility("default")]] std::vector<T> product(const DenseView<T>& a, const DenseView<T>& b,
                                                      const std::string& device = "auto");

/// The scalar product of each row of A with that of B; sums in double.
template <class T>
[[gnu::visibility("default")]] std::vector<double> dot(const DenseView<T>& a, const DenseView<T>& b,
                                                       const std::string& device = "auto");

enum class Order { ascending, descending };

/// Sorts in place. NaN stands last in either order (its sign is lost), -0 below +0.
template <class T>
[[gnu::visibility("default")]] void sort(std::span<T> values, Order order = Order::ascending,
                                         const std::string& device = "auto");

/// Exact for integers, in double otherwise; 0 for no values.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
template <class T>
[[gnu::visibility("default")]] Sum<T> sum(std::span<const T> values,
                                          const std::string& device = "auto");

/// The largest value; NaN if one of them is NaN. Throws InputError for no values.
template <class T>
[[gnu::visibility("default")]] T maximum(std::span<const T> values,
                                         const std::string& device = "auto");

/// The element-wise minimum of 3 x 3 matrices that stand one after another, row by row; NaN where
/// one of them has NaN. Throws InputError for no matrix. On the processor: it is one pass.
template <class T>
[[gnu::visibility("default")]] std::array<T, 9> minima(std::span<const T> matrices);

}  // namespace bombard::solve
