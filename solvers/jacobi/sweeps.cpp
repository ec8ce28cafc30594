#include "solvers/jacobi/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/base/vector.hpp"

namespace bombard::cpu {

namespace {

constexpr int rows_together = 8;  ///< each element of x is read once for this number of rows

/// The scalar products of x and rows_together rows from `first` on; behind the last row it stands
/// in.
template <class T, int bytes>
[[gnu::always_inline]] inline void dense_dots(const T* a, std::int64_t n, std::int64_t first,
                                              const T* x, T* dots) {
  constexpr int lanes = bytes / static_cast<int>(sizeof(T));
  using Lanes = Vector<T, bytes>;
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
  for (int r = 0; r < rows_together; ++r) dots[r] = sum_of_elements<T, bytes>(sum[r]);
  for (; j < n; ++j) {
    for (int r = 0; r < rows_together; ++r) dots[r] += row[r][j] * x[j];
  }
}

/// The iteration, given how to multiply x and rows_together rows from one on.
template <class T, class RowDots>
JacobiProgress iterate(const RowDots& row_dots, std::int64_t work, std::span<const T> diagonal,
                       std::span<const T> b, std::span<T> x, double tolerance, std::int64_t limit) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<T> second(x.size());
  T* current = x.data();
  T* next = second.data();
  JacobiProgress progress;
  while (progress.iterations < limit && !progress.converged && !std::isnan(progress.change)) {
    T difference = 0;
    T largest = 0;
    bool finite = true;
#pragma omp parallel for schedule(static) reduction(max : difference, largest) \
    reduction(&& : finite) if (work > 1'000'000)
    for (std::int64_t first = 0; first < n; first += rows_together) {
      T dots[rows_together];
      row_dots(first, current, dots);
      for (std::int64_t i = first; i < std::min(n, first + rows_together); ++i) {
        next[i] = current[i] + (b[i] - dots[i - first]) / diagonal[i];
        difference = std::max(difference, std::abs(next[i] - current[i]));
        largest = std::max(largest, std::abs(next[i]));
        finite = finite && std::isfinite(next[i]);
      }
    }
    const double step = difference;
    const double size = largest;
    const double change = step == 0 ? 0 : step / size;
    progress = {progress.iterations + 1, finite ? change : std::nan(""),
                finite && step <= tolerance * size};
    std::swap(current, next);
  }
  if (current != x.data()) std::ranges::copy(second, x.begin());
  return progress;
}

}  // namespace

template <class T>
JacobiProgress jacobi(const DenseView<T>& a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, double tolerance, std::int64_t limit) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto row_dots = [&](std::int64_t first, const T* current, T* dots) {
    by_widest<dense_dots<T, 64>, dense_dots<T, 32>, dense_dots<T, 16>>(a.values.data(), n, first,
                                                                       current, dots);
  };
  return iterate(row_dots, n * n, diagonal, b, x, tolerance, limit);
}

template <class T>
JacobiProgress jacobi(const SparseView<T>& a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, double tolerance, std::int64_t limit) {
  const auto row_dots = [&](std::int64_t first, const T* current, T* dots) {
    for (std::int64_t row = 0; row < std::min<std::int64_t>(rows_together, a.rows - first); ++row) {
      const std::int64_t* offset = a.row_offsets.data() + first + row;
      T sum = 0;
      for (std::int64_t entry = offset[0]; entry < offset[1]; ++entry) {
        const auto e = static_cast<std::size_t>(entry);
        sum += a.values[e] * current[a.column_indices[e]];
      }
      dots[row] = sum;
    }
  };
  return iterate(row_dots, static_cast<std::int64_t>(a.values.size()), diagonal, b, x, tolerance,
                 limit);
}

template JacobiProgress jacobi<float>(const DenseView<float>&, std::span<const float>,
                                      std::span<const float>, std::span<float>, double,
                                      std::int64_t);
template JacobiProgress jacobi<double>(const DenseView<double>&, std::span<const double>,
                                       std::span<const double>, std::span<double>, double,
                                       std::int64_t);
template JacobiProgress jacobi<float>(const SparseView<float>&, std::span<const float>,
                                      std::span<const float>, std::span<float>, double,
                                      std::int64_t);
template JacobiProgress jacobi<double>(const SparseView<double>&, std::span<const double>,
                                       std::span<const double>, std::span<double>, double,
                                       std::int64_t);

}  // namespace bombard::cpu
