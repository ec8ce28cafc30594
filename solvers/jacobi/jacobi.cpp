#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bombard/solve.hpp"
#include "kernels/base/usual_arithmetic.hpp"
#include "solvers/in_runs.hpp"
#include "solvers/jacobi/sweeps.hpp"
#include "solvers/matrices.hpp"
#include "solvers/solver_device.hpp"

namespace bombard::solve {

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

/// Throws InputError unless the matrix is what its view says.
template <class T>
void check_view(const SparseView<T>& a) {
  bool good = a.rows >= 0 && std::ssize(a.row_offsets) == a.rows + 1 &&
              a.column_indices.size() == a.values.size() && a.row_offsets.front() == 0 &&
              a.row_offsets.back() == std::ssize(a.values) && std::ranges::is_sorted(a.row_offsets);
  for (std::int64_t row = 0; good && row < a.rows; ++row) {
    std::int64_t before = -1;
    visit_row(a, row, [&](std::int64_t column, T /*value*/) {
      good = good && before < column && column < a.columns;
      before = column;
    });
  }
  if (good) return;
  throw InputError(fmt::format(
      "{} row offsets, {} column indices and {} values are not a CSR matrix of {} x "
      "{}: offsets rise from 0 to the number of values, and columns rise in each row",
      a.row_offsets.size(), a.column_indices.size(), a.values.size(), a.rows, a.columns));
}

/// Finds the diagonal of A. Throws InputError for a zero there.
template <class T, class Matrix>
Dominance dominance(const Matrix& a, std::vector<T>& diagonal) {
  // The sums of the magnitudes of the other elements.
  std::vector<double> of_row(diagonal.size());
  std::vector<double> of_column(diagonal.size());
  for (std::size_t row = 0; row < diagonal.size(); ++row) {
    visit_row(a, static_cast<std::int64_t>(row), [&](std::int64_t at, T value) {
      const auto column = static_cast<std::size_t>(at);
      if (column == row) {
        diagonal[row] = value;
      } else {
        const double size = std::abs(static_cast<double>(value));
        of_row[row] += size;
        of_column[column] += size;
      }
    });
    if (diagonal[row] == 0) {
      throw InputError(fmt::format(
          "A's diagonal is zero in row {}: Jacobi divides by it; reorder the rows", row + 1));
    }
  }
  Dominance found;
  for (std::size_t i = diagonal.size(); i-- > 0;) {  // the first failure stays
    const double size = std::abs(diagonal[i]);
    if (!(size > of_row[i])) found.failing_row = static_cast<std::int64_t>(i);
    if (!(size > of_column[i])) found.failing_column = static_cast<std::int64_t>(i);
    found.row_ratio = std::max(found.row_ratio, of_row[i] / size);
  }
  return found;
}

template <class T>
void require_finite(std::span<const T> values, const char* name) {
  const auto found = std::ranges::find_if_not(values, [](T value) { return std::isfinite(value); });
  if (found == values.end()) return;
  throw InputError(fmt::format("element {} of {} is {}: every value must be finite",
                               found - values.begin() + 1, name, *found));
}

/// Checks a vector of the problem: an element for each row of A, all finite.
template <class T, class Matrix>
void check(const Matrix& a, std::span<const T> values, const char* name) {
  require_finite(values, name);
  if (std::ssize(values) == a.rows) return;
  throw InputError(fmt::format("A is {} x {}, {} has {} elements: A's rows must match", a.rows,
                               a.columns, name, values.size()));
}

void check(const JacobiSettings& settings) {
  if (!(settings.tolerance >= 0)) {
    throw InputError(fmt::format("the tolerance {} must be 0 or more", settings.tolerance));
  }
  if (settings.error && !(*settings.error > 0)) {
    throw InputError(fmt::format("the error {} must be above 0", *settings.error));
  }
  if (settings.iteration_limit < 1 || settings.sweeps.value_or(1) < 1) {
    throw InputError(fmt::format("the iteration limit {} must be 1 or more",
                                 settings.sweeps.value_or(settings.iteration_limit)));
  }
}

/// The value that `change` must reach.
double tolerance_of(const JacobiSettings& settings, const Dominance& dominance) {
  // No change is that small; times 0, for an x of zeros, it is no number.
  if (settings.sweeps) return -std::numeric_limits<double>::infinity();
  if (!settings.error) return settings.tolerance;
  const double q = dominance.row_ratio;
  if (dominance.failing_row || !(q < 1)) {
    throw InputError(
        fmt::format("A is not dominant by rows (first in row {}), and without that nothing bounds "
                    "the error: leave error out, or give tolerance",
                    dominance.failing_row.value_or(0) + 1));
  }
  return q == 0 ? std::numeric_limits<double>::max() : *settings.error * (1 - q) / q;
}

/// |b - A x| / |b|, Euclidean, for numbers of any size; 0 when the residual is 0.
template <class T, class Matrix>
double relative_residual(const Matrix& a, std::span<const T> b, const std::vector<T>& x) {
  Eigen::VectorXd residual(a.rows);
  in_runs(a.rows, 64, std::ssize(a.values), [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t row = first; row < end; ++row) {
      double sum = 0;
      visit_row(a, row, [&](std::int64_t column, T value) {
        sum += static_cast<double>(value) * x[static_cast<std::size_t>(column)];
      });
      residual[row] = b[static_cast<std::size_t>(row)] - sum;
    }
  });
  const double norm = residual.stableNorm();
  return norm == 0 ? 0 : norm / in_eigen(b).template cast<double>().stableNorm();
}

template <class T, class Matrix>
JacobiResult<T> solved(const Matrix& a, std::span<const T> b, std::span<const T> start,
                       const JacobiSettings& settings) {
  const UsualArithmetic arithmetic;
  check_view(a);
  check(settings);
  require_finite(a.values, "A");
  check(a, b, "b");
  if (!start.empty()) check(a, start, "the start vector");
  if (a.rows != a.columns) {
    throw InputError(
        fmt::format("A is {} x {}: Jacobi needs as many rows as columns", a.rows, a.columns));
  }
  std::vector<T> diagonal(b.size());
  JacobiResult<T> solution{};
  solution.dominance = dominance(a, diagonal);
  if (!solution.dominance.suffices() && !settings.force) {
    throw InputError(fmt::format(
        "A is not strictly diagonally dominant (first by rows in row {}, by columns in column {}): "
        "Jacobi may not converge; force runs it all the same",
        *solution.dominance.failing_row + 1, *solution.dominance.failing_column + 1));
  }
  solution.tolerance = tolerance_of(settings, solution.dominance);
  solution.x.assign(b.size(), T{0});
  std::ranges::copy(start, solution.x.begin());

  // Some tens of sweeps at the speed of memory.
  const auto bytes = static_cast<double>(a.values.size_bytes());
  const SolverDevice device(settings.device, 30 * bytes / 15e9);
  solution.on_gpu = device.is_gpu();
  JacobiSettings stop = settings;
  stop.tolerance = solution.tolerance;
  stop.iteration_limit = settings.sweeps.value_or(settings.iteration_limit);
  const JacobiProgress progress =
      device.is_gpu() ? kernel<DeviceJacobi<T, Matrix>>()(a, diagonal, b, solution.x, stop, nullptr)
                      : cpu::jacobi<T>(a, diagonal, b, solution.x, stop);
  solution.iterations = progress.iterations;
  solution.change = progress.change;
  solution.converged = progress.converged || (settings.sweeps && !std::isnan(progress.change));
  solution.relative_residual = relative_residual(a, b, solution.x);
  if (const double q = solution.dominance.row_ratio; q < 1) {
    solution.error_bound = q == 0 ? 0 : q / (1 - q) * progress.change;
  }
  return solution;
}

}  // namespace

template <class T>
JacobiResult<T> jacobi(const DenseView<T>& a, std::type_identity_t<std::span<const T>> b,
                       std::type_identity_t<std::span<const T>> start,
                       const JacobiSettings& settings) {
  return solved<T>(a, b, start, settings);
}
template <class T>
JacobiResult<T> jacobi(const SparseView<T>& a, std::type_identity_t<std::span<const T>> b,
                       std::type_identity_t<std::span<const T>> start,
                       const JacobiSettings& settings) {
  return solved<T>(a, b, start, settings);
}
template JacobiResult<float> jacobi<float>(const DenseView<float>&, std::span<const float>,
                                           std::span<const float>, const JacobiSettings&);
template JacobiResult<double> jacobi<double>(const DenseView<double>&, std::span<const double>,
                                             std::span<const double>, const JacobiSettings&);
template JacobiResult<float> jacobi<float>(const SparseView<float>&, std::span<const float>,
                                           std::span<const float>, const JacobiSettings&);
template JacobiResult<double> jacobi<double>(const SparseView<double>&, std::span<const double>,
                                             std::span<const double>, const JacobiSettings&);

}  // namespace bombard::solve
