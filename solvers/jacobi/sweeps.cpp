#include "solvers/jacobi/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/base/timer.hpp"
#include "kernels/base/vector.hpp"

namespace bombard::cpu {

namespace {

constexpr int rows_together = 8;  ///< each element of x is read once for this number of rows

/// The scalar products of x and rows_together rows from `first` on; beyond the last row, the last
/// one is taken again.
template <class T>
void dense_dots(const T* a, std::int64_t n, std::int64_t first, const T* x, T* dots) {
  constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
  using Lanes = Vector<T, vector_bytes>;
  const T* row[rows_together];
  Lanes sum[rows_together] = {};
  for (int r = 0; r < rows_together; ++r) row[r] = a + std::min(first + r, n - 1) * n;
  std::int64_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const auto of_x = *reinterpret_cast<const Lanes*>(x + j);
#pragma GCC unroll 8
    for (int r = 0; r < rows_together; ++r) {
      sum[r] += *reinterpret_cast<const Lanes*>(row[r] + j) * of_x;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows_together; ++r) dots[r] = sum_of_elements<T, vector_bytes>(sum[r]);
  for (; j < n; ++j) {
    for (int r = 0; r < rows_together; ++r) dots[r] += row[r][j] * x[j];
  }
}

template <class T>
void row_dots(const DenseView<T>& a, std::int64_t first, const T* x, T* dots) {
  dense_dots(a.values.data(), a.rows, first, x, dots);
}
template <class T>
void row_dots(const SparseView<T>& a, std::int64_t first, const T* x, T* dots) {
  for (std::int64_t row = first; row < std::min(first + rows_together, a.rows); ++row) {
    T sum = 0;
    for (std::int64_t entry = a.row_offsets[row]; entry < a.row_offsets[row + 1]; ++entry) {
      sum += a.values[entry] * x[a.column_indices[entry]];
    }
    dots[row - first] = sum;
  }
}

}  // namespace

template <class T, class Matrix>
JacobiProgress jacobi(const Matrix& a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, const JacobiSettings& stop) {
  constexpr double seconds_between_questions = 0.1;
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<T> second(x.size());
  T* current = x.data();
  T* next = second.data();
  JacobiProgress progress;
  WallTimer asked;
  while (progress.goes_on(stop.iteration_limit)) {
    if (stop.interrupt &&
        (progress.iterations == 0 || asked.seconds() > seconds_between_questions)) {
      stop.interrupt();
      asked = {};
    }
    T difference = 0;
    T largest = 0;
    bool finite = true;
#pragma omp parallel for schedule(static) reduction(max : difference, largest) \
    reduction(&& : finite) if (a.values.size() > 1'000'000)
    for (std::int64_t first = 0; first < n; first += rows_together) {
      T dots[rows_together];
      row_dots(a, first, current, dots);
      for (std::int64_t i = first; i < std::min(n, first + rows_together); ++i) {
        next[i] = current[i] + (b[i] - dots[i - first]) / diagonal[i];
        difference = std::max(difference, std::abs(next[i] - current[i]));
        largest = std::max(largest, std::abs(next[i]));
        finite = finite && std::isfinite(next[i]);
      }
    }
    progress =
        after_sweep(progress.iterations + 1, difference, finite ? largest : NAN, stop.tolerance);
    std::swap(current, next);
  }
  if (current != x.data()) std::ranges::copy(second, x.begin());
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
