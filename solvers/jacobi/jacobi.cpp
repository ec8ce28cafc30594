#include "solvers/jacobi/jacobi.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bombard/errors.hpp"
#include "solvers/jacobi/slices.hpp"
#include "solvers/jacobi/sweeps.hpp"
#include "solvers/on_device.hpp"

namespace bombard {

namespace {

/// Row `row` as (column, value) pairs: visit(column, value) for each that is stored.
template <class T, class Visit>
void visit_row(const DenseView<T>& a, std::int64_t row, const Visit& visit) {
  const T* values = a.values.data() + row * a.columns;
  for (std::int64_t column = 0; column < a.columns; ++column) visit(column, values[column]);
}
template <class T, class Visit>
void visit_row(const SparseView<T>& a, std::int64_t row, const Visit& visit) {
  const std::int64_t* offset = a.row_offsets.data() + row;
  for (std::int64_t entry = offset[0]; entry < offset[1]; ++entry) {
    const auto e = static_cast<std::size_t>(entry);
    visit(std::int64_t{a.column_indices[e]}, a.values[e]);
  }
}

std::optional<std::int64_t> first_not_dominant(const std::vector<double>& diagonal,
                                               const std::vector<double>& others) {
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    if (!(std::abs(diagonal[i]) > others[i])) return static_cast<std::int64_t>(i);
  }
  return std::nullopt;
}

double largest_ratio(const std::vector<double>& diagonal, const std::vector<double>& others) {
  double largest = 0;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    // A row of nothing has no ratio; its diagonal element is refused elsewhere.
    if (others[i] > 0) largest = std::max(largest, others[i] / std::abs(diagonal[i]));
  }
  return largest;
}

/// Sums over rows, and over columns in a vector of each thread's own, added in the threads' order.
template <class Matrix>
Dominance dominance_of(const Matrix& a) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> diagonal(n);
  std::vector<double> of_row(n);
  std::vector<double> of_column(n);
#pragma omp parallel
  {
    std::vector<double> mine(n);
#pragma omp for schedule(static)
    for (std::int64_t row = 0; row < a.rows; ++row) {
      double others = 0;
      visit_row(a, row, [&](std::int64_t column, auto value) {
        if (column == row) {
          diagonal[static_cast<std::size_t>(row)] = value;
        } else {
          const double size = std::abs(static_cast<double>(value));
          others += size;
          mine[static_cast<std::size_t>(column)] += size;
        }
      });
      of_row[static_cast<std::size_t>(row)] = others;
    }
#pragma omp for ordered schedule(static, 1)
    for (int thread = 0; thread < omp_get_num_threads(); ++thread) {
#pragma omp ordered
      for (std::size_t i = 0; i < n; ++i) of_column[i] += mine[i];
    }
  }
  return {first_not_dominant(diagonal, of_row), first_not_dominant(diagonal, of_column),
          largest_ratio(diagonal, of_row)};
}

template <class T>
void require_finite(std::span<const T> values, const char* name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw InputError(fmt::format("element {} of {} is {}: every value must be finite", i + 1,
                                   name, values[i]));
    }
  }
}

/// Shapes and values; returns the diagonal.
template <class T, class Matrix>
std::vector<T> checked_diagonal(const Matrix& a, std::span<const T> b, std::span<const T> start,
                                const JacobiOptions& options) {
  if (static_cast<std::int64_t>(b.size()) != a.rows) {
    throw InputError(fmt::format("A is {} x {}, b has {} elements: A's rows must match", a.rows,
                                 a.columns, b.size()));
  }
  if (a.rows != a.columns) {
    throw InputError(
        fmt::format("A is {} x {}: Jacobi needs as many rows as columns", a.rows, a.columns));
  }
  if (!start.empty() && start.size() != b.size()) {
    throw InputError(
        fmt::format("A is {} x {}, the start vector has {} elements: A's rows must match", a.rows,
                    a.columns, start.size()));
  }
  if (!(options.tolerance >= 0)) {
    throw InputError(fmt::format("the tolerance {} must be 0 or more", options.tolerance));
  }
  if (options.error && !(*options.error > 0)) {
    throw InputError(fmt::format("the error {} must be above 0", *options.error));
  }
  if (options.iteration_limit < 1 || options.sweeps.value_or(1) < 1) {
    throw InputError(fmt::format("the iteration limit {} must be 1 or more",
                                 options.sweeps.value_or(options.iteration_limit)));
  }
  require_finite(b, "b");
  require_finite(start, "the start vector");

  std::vector<T> diagonal(b.size());
  std::int64_t bad_row = a.rows;
#pragma omp parallel for schedule(static) reduction(min : bad_row)
  for (std::int64_t row = 0; row < a.rows; ++row) {
    bool finite = true;
    visit_row(a, row, [&](std::int64_t column, T value) {
      if (column == row) diagonal[static_cast<std::size_t>(row)] = value;
      finite = finite && std::isfinite(value);
    });
    if (!finite) bad_row = std::min(bad_row, row);
  }
  if (bad_row < a.rows) {
    visit_row(a, bad_row, [&](std::int64_t column, T value) {
      if (!std::isfinite(value)) {
        throw InputError(
            fmt::format("A's element in row {}, column {} is {}: every value must be finite",
                        bad_row + 1, column + 1, value));
      }
    });
  }
  const auto zero = std::ranges::find(diagonal, T{0});
  if (zero != diagonal.end()) {
    throw InputError(
        fmt::format("A's diagonal is zero in row {}: Jacobi divides by it; reorder the rows",
                    zero - diagonal.begin() + 1));
  }
  return diagonal;
}

std::string not_dominant(const Dominance& dominance) {
  return fmt::format(
      "A is not strictly diagonally dominant (first by rows in row {}, by columns in column {})",
      *dominance.failing_row + 1, *dominance.failing_column + 1);
}

/// What `change` must come to.
double tolerance_of(const JacobiOptions& options, const Dominance& dominance) {
  if (options.sweeps) return -1;  // no change is that small
  if (!options.error) return options.tolerance;
  const double q = dominance.row_ratio;
  if (dominance.failing_row || !(q < 1)) {
    throw InputError(
        fmt::format("A is not dominant by rows (first in row {}), and without that nothing bounds "
                    "the error: leave --error out, or give --tolerance",
                    dominance.failing_row.value_or(0) + 1));
  }
  if (q == 0) return std::numeric_limits<double>::max();
  return *options.error * (1 - q) / q;
}

/// Of numbers that may be as large or as small as there are.
double euclidean_norm(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  if (largest == 0 || !std::isfinite(largest)) return largest;
  double squares = 0;
  for (const double value : values) squares += (value / largest) * (value / largest);
  return largest * std::sqrt(squares);
}

/// Rows in parallel, their squares added in order.
template <class T, class Matrix, class X>
double relative_residual_of(const Matrix& a, std::span<const T> b, const std::vector<X>& x) {
  std::vector<double> residual(b.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < a.rows; ++row) {
    double sum = 0;
    visit_row(a, row, [&](std::int64_t column, T value) {
      sum += static_cast<double>(value) * static_cast<double>(x[static_cast<std::size_t>(column)]);
    });
    const auto r = static_cast<std::size_t>(row);
    residual[r] = static_cast<double>(b[r]) - sum;
  }
  const double norm = euclidean_norm(residual);
  return norm == 0 ? 0 : norm / euclidean_norm({b.begin(), b.end()});
}

template <class T>
std::int64_t stored(const DenseView<T>& a) {
  return a.rows * a.columns;
}
template <class T>
std::int64_t stored(const SparseView<T>& a) {
  return static_cast<std::int64_t>(a.values.size());
}

template <class T>
JacobiProgress iterate_on_cpu(const DenseView<T>& a, std::span<const T> diagonal,
                              std::span<const T> b, std::span<T> x, const JacobiOptions& options) {
  return in_slices(options, [&](std::int64_t sweeps) {
    return cpu::jacobi<T>(a.values, diagonal, b, x, options.tolerance, sweeps);
  });
}
template <class T>
JacobiProgress iterate_on_cpu(const SparseView<T>& a, std::span<const T> diagonal,
                              std::span<const T> b, std::span<T> x, const JacobiOptions& options) {
  const CsrView<T> rows{a.row_offsets, a.column_indices, a.values};
  return in_slices(options, [&](std::int64_t sweeps) {
    return cpu::jacobi<T>(rows, diagonal, b, x, options.tolerance, sweeps);
  });
}

template <class T>
JacobiProgress iterate_on_gpu(const DenseView<T>& a, std::span<const T> diagonal,
                              std::span<const T> b, std::span<T> x, const JacobiOptions& options) {
  return on_device<DeviceJacobi<T>>().dense(a, diagonal, b, x, options);
}
template <class T>
JacobiProgress iterate_on_gpu(const SparseView<T>& a, std::span<const T> diagonal,
                              std::span<const T> b, std::span<T> x, const JacobiOptions& options) {
  return on_device<DeviceJacobi<T>>().sparse(a, diagonal, b, x, options);
}

template <class T, class Matrix>
JacobiResult<T> solve(const Matrix& a, std::span<const T> b, std::span<const T> start,
                      const JacobiOptions& options) {
  const std::vector<T> diagonal = checked_diagonal<T>(a, b, start, options);
  JacobiResult<T> solution{};
  solution.dominance = dominance(a);
  if (!solution.dominance.suffices() && !options.force) {
    throw InputError(not_dominant(solution.dominance) +
                     ": Jacobi may not converge; --force runs it all the same");
  }
  solution.tolerance = tolerance_of(options, solution.dominance);
  solution.x.assign(b.size(), T{0});
  std::ranges::copy(start, solution.x.begin());

  // Some tens of sweeps at the speed of memory.
  const auto bytes = stored(a) * static_cast<std::int64_t>(sizeof(T));
  solution.on_gpu = use_gpu(options.device, 30 * static_cast<double>(bytes) / 15e9);
  JacobiOptions stop = options;
  stop.tolerance = solution.tolerance;
  stop.iteration_limit = options.sweeps.value_or(options.iteration_limit);
  const JacobiProgress progress = solution.on_gpu
                                      ? iterate_on_gpu<T>(a, diagonal, b, solution.x, stop)
                                      : iterate_on_cpu<T>(a, diagonal, b, solution.x, stop);
  solution.iterations = progress.iterations;
  solution.change = progress.change;
  solution.converged = progress.converged || (options.sweeps && std::isfinite(progress.change));
  solution.relative_residual = relative_residual(a, b, solution.x);
  if (const double q = solution.dominance.row_ratio; q < 1) {
    solution.error_bound = q / (1 - q) * progress.change;
  }
  return solution;
}

}  // namespace

template <class T>
Dominance dominance(const DenseView<T>& a) {
  return dominance_of(a);
}
template <class T>
Dominance dominance(const SparseView<T>& a) {
  return dominance_of(a);
}

template <class T, class X>
double relative_residual(const DenseView<T>& a, std::span<const T> b, const std::vector<X>& x) {
  return relative_residual_of(a, b, x);
}
template <class T, class X>
double relative_residual(const SparseView<T>& a, std::span<const T> b, const std::vector<X>& x) {
  return relative_residual_of(a, b, x);
}

template <class T>
JacobiResult<T> jacobi(const DenseView<T>& a, std::span<const T> b, std::span<const T> start,
                       const JacobiOptions& options) {
  return solve<T>(a, b, start, options);
}
template <class T>
JacobiResult<T> jacobi(const SparseView<T>& a, std::span<const T> b, std::span<const T> start,
                       const JacobiOptions& options) {
  return solve<T>(a, b, start, options);
}

template double relative_residual<float, float>(const DenseView<float>&, std::span<const float>,
                                                const std::vector<float>&);
template double relative_residual<float, double>(const DenseView<float>&, std::span<const float>,
                                                 const std::vector<double>&);
template double relative_residual<double, double>(const DenseView<double>&, std::span<const double>,
                                                  const std::vector<double>&);
template double relative_residual<float, float>(const SparseView<float>&, std::span<const float>,
                                                const std::vector<float>&);
template double relative_residual<float, double>(const SparseView<float>&, std::span<const float>,
                                                 const std::vector<double>&);
template double relative_residual<double, double>(const SparseView<double>&,
                                                  std::span<const double>,
                                                  const std::vector<double>&);
template Dominance dominance<float>(const DenseView<float>&);
template Dominance dominance<double>(const DenseView<double>&);
template Dominance dominance<float>(const SparseView<float>&);
template Dominance dominance<double>(const SparseView<double>&);
template JacobiResult<float> jacobi<float>(const DenseView<float>&, std::span<const float>,
                                           std::span<const float>, const JacobiOptions&);
template JacobiResult<double> jacobi<double>(const DenseView<double>&, std::span<const double>,
                                             std::span<const double>, const JacobiOptions&);
template JacobiResult<float> jacobi<float>(const SparseView<float>&, std::span<const float>,
                                           std::span<const float>, const JacobiOptions&);
template JacobiResult<double> jacobi<double>(const SparseView<double>&, std::span<const double>,
                                             std::span<const double>, const JacobiOptions&);

}  // namespace bombard
