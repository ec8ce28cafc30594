#include "solvers/jacobi/sweeps.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/base/vector.hpp"
#include "solvers/jacobi/row_sums.hpp"

namespace bombard::cpu {

namespace {

constexpr int rows_together = 8;  ///< each element of x is read once for this number of rows

/// The scalar products of `rows` rows, `stride` apart, and x, in T: a vector of sums a row.
template <class T, int bytes, int rows>
[[gnu::always_inline]] inline void dot_rows(const T* a, std::int64_t stride, const T* x, T* dots) {
  constexpr int lanes = bytes / static_cast<int>(sizeof(T));
  using Lanes = Vector<T, bytes>;
  alignas(sizeof(Lanes)) Lanes sum[rows] = {};
  std::int64_t j = 0;
  for (; j + lanes <= stride; j += lanes) {
    const auto of_x = *reinterpret_cast<const Lanes*>(x + j);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      sum[r] += *reinterpret_cast<const Lanes*>(a + r * stride + j) * of_x;
    }
  }
  if constexpr (rows == 1) {
    dots[0] = sum_of_elements<T, bytes>(sum[0]);
  } else {
#pragma GCC unroll 8
    for (int r = 0; r < rows; r += shuffled<T>) store_sums<T, bytes>(sum + r, dots + r);
  }
  for (; j < stride; ++j) {
    for (int r = 0; r < rows; ++r) dots[r] += a[r * stride + j] * x[j];
  }
}

/// The scalar products of `rows` rows of n elements each and x.
template <class T, int bytes>
[[gnu::always_inline]] inline void dot_all(const T* a, std::int64_t rows, std::int64_t n,
                                           const T* x, T* dots) {
  std::int64_t row = 0;
  for (; row + rows_together <= rows; row += rows_together) {
    dot_rows<T, bytes, rows_together>(a + row * n, n, x, dots + row);
  }
  for (; row < rows; ++row) dot_rows<T, bytes, 1>(a + row * n, n, x, dots + row);
}

/// max|x_new - x_old| and max|x_new|; the latter is infinite where x is no number.
template <class T>
using Sizes = std::pair<T, T>;

/// The new elements of x, from the scalar products of their rows that stand in their place. With a
/// bool or std::max's references it would not be vectorised.
template <class T>
[[gnu::always_inline]] inline Sizes<T> update_all(std::int64_t count, const T* diagonal, const T* b,
                                                  const T* current, T* next) {
  T difference = 0;
  T value = 0;
  std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t> unordered = 0;
#pragma omp simd reduction(max : difference, value) reduction(| : unordered)
  for (std::int64_t i = 0; i < count; ++i) {
    const T updated = current[i] + (b[i] - next[i]) / diagonal[i];
    const T step = std::abs(updated - current[i]);
    const T size = std::abs(updated);
    next[i] = updated;
    difference = step > difference ? step : difference;
    value = size > value ? size : value;
    unordered |= updated != updated ? 1 : 0;
  }
  return {difference, unordered != 0 ? std::numeric_limits<T>::infinity() : value};
}

/// The iteration, given how to multiply some rows with x, first and number. Every thread does its
/// rows, then looks at all threads' sizes: all decide the same, with one barrier a sweep. Sizes
/// alternate between two arrays, as x does, so that no thread overwrites what another still reads.
template <class T, class RowDots>
JacobiProgress iterate(const RowDots& row_dots, std::int64_t work, std::span<const T> diagonal,
                       std::span<const T> b, std::span<T> x, double tolerance, std::int64_t limit) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<T> second(x.size());
  std::array<std::vector<Sizes<T>>, 2> sizes_of_threads;
  JacobiProgress progress;
#pragma omp parallel if (work > 1'000'000)
  {
    const std::int64_t threads = omp_get_num_threads();
    const std::int64_t thread = omp_get_thread_num();
#pragma omp single
    sizes_of_threads.fill(std::vector<Sizes<T>>(static_cast<std::size_t>(threads)));

    // Whole groups of rows: how a row is summed does not depend on the number of threads.
    const std::int64_t groups = (n + rows_together - 1) / rows_together;
    const std::int64_t first = std::min(n, thread * groups / threads * rows_together);
    const std::int64_t last = std::min(n, (thread + 1) * groups / threads * rows_together);
    T* current = x.data();
    T* next = second.data();
    JacobiProgress mine;
    while (mine.iterations < limit && !mine.converged && !std::isnan(mine.change)) {
      auto& sizes = sizes_of_threads[static_cast<std::size_t>(mine.iterations % 2)];
      row_dots(first, last - first, current, next + first);
      sizes[static_cast<std::size_t>(thread)] =
          by_widest<update_all<T>>(last - first, diagonal.data() + first, b.data() + first,
                                   static_cast<const T*>(current + first), next + first);
      if (threads > 1) {
#pragma omp barrier
      }
      double difference = 0;
      double value = 0;
      for (const auto& [of_difference, of_value] : sizes) {
        difference = std::max<double>(difference, of_difference);
        value = std::max<double>(value, of_value);
      }
      mine.converged = std::isfinite(value) && difference <= tolerance * value;
      mine.change = !std::isfinite(value) ? std::nan("") : difference == 0 ? 0 : difference / value;
      ++mine.iterations;
      std::swap(current, next);
    }
#pragma omp master
    progress = mine;
  }
  if (progress.iterations % 2 == 1) std::ranges::copy(second, x.begin());
  return progress;
}

}  // namespace

template <class T>
JacobiProgress jacobi(const DenseView<T>& a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, double tolerance, std::int64_t limit) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto row_dots = [&](std::int64_t first, std::int64_t rows, const T* current, T* dots) {
    by_widest<dot_all<T, 64>, dot_all<T, 32>, dot_all<T, 16>>(a.values.data() + first * n, rows, n,
                                                              current, dots);
  };
  return iterate(row_dots, n * n, diagonal, b, x, tolerance, limit);
}

template <class T>
JacobiProgress jacobi(const SparseView<T>& a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, double tolerance, std::int64_t limit) {
  const auto row_dots = [&](std::int64_t first, std::int64_t rows, const T* current, T* dots) {
    for (std::int64_t row = 0; row < rows; ++row) {
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
