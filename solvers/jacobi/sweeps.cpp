#include "solvers/jacobi/sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/timer.hpp"
#include "solvers/in_runs.hpp"
#include "solvers/matrices.hpp"

namespace bombard::cpu {

namespace {

constexpr std::int64_t rows_together = 64;

/// The scalar products of x and rows_together rows of A, or fewer, from `first` on.
template <class T>
void row_dots(const DenseView<T>& a, std::int64_t first, std::span<const T> x, std::span<T> dots) {
  Eigen::Map<Eigen::VectorX<T>>(dots.data(), std::ssize(dots)).noalias() =
      in_eigen(a).middleRows(first, std::ssize(dots)) * in_eigen(x);
}
template <class T>
void row_dots(const SparseView<T>& a, std::int64_t first, std::span<const T> x, std::span<T> dots) {
  for (std::size_t i = 0; i < dots.size(); ++i) {
    dots[i] = 0;
    const std::int64_t* const offset = a.row_offsets.data() + first + i;
    for (std::int64_t e = offset[0]; e < offset[1]; ++e) {
      dots[i] += a.values[e] * x[a.column_indices[e]];
    }
  }
}

}  // namespace

template <class T, class Matrix>
JacobiProgress jacobi(const Matrix& a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, const JacobiSettings& stop) {
  constexpr double seconds_between_questions = 0.1;
  Eigen::VectorX<T> current = in_eigen<T>(x);
  Eigen::VectorX<T> next(current.size());
  JacobiProgress progress;
  WallTimer asked;
  while (progress.goes_on(stop.iteration_limit)) {
    if (stop.interrupt &&
        (progress.iterations == 0 || asked.seconds() > seconds_between_questions)) {
      stop.interrupt();
      asked = {};
    }
    in_runs(a.rows, rows_together, std::ssize(a.values), [&](std::int64_t first, std::int64_t end) {
      auto rows = next.segment(first, end - first);
      row_dots<T>(a, first, {current.data(), x.size()}, {rows.data(), std::size_t(rows.size())});
      rows = current.segment(first, rows.size()) +
             (in_eigen(b).segment(first, rows.size()) - rows)
                 .cwiseQuotient(in_eigen(diagonal).segment(first, rows.size()));
    });
    const T largest = next.allFinite() ? next.template lpNorm<Eigen::Infinity>() : T{NAN};
    progress =
        after_sweep(progress.iterations + 1, (next - current).template lpNorm<Eigen::Infinity>(),
                    largest, stop.tolerance);
    current.swap(next);
  }
  std::ranges::copy(current, x.begin());
  return progress;
}
template JacobiProgress jacobi(const DenseView<float>&, std::span<const float>,
                               std::span<const float>, std::span<float>, const JacobiSettings&);
template JacobiProgress jacobi(const DenseView<double>&, std::span<const double>,
                               std::span<const double>, std::span<double>, const JacobiSettings&);
template JacobiProgress jacobi(const SparseView<float>&, std::span<const float>,
                               std::span<const float>, std::span<float>, const JacobiSettings&);
template JacobiProgress jacobi(const SparseView<double>&, std::span<const double>,
                               std::span<const double>, std::span<double>, const JacobiSettings&);

}  // namespace bombard::cpu
