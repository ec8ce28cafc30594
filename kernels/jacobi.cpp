#include "kernels/jacobi.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/vector.hpp"

namespace bombard::cpu {

namespace {

constexpr int rows_together = 8;  ///< each element of x is read once for so many rows

/// The scalar products of `rows` rows, `stride` apart, and x, in T: a vector of sums a row.
template <class T, int bytes, int rows>
[[gnu::always_inline]] inline void dot_rows(const T* a, std::int64_t stride, const T* x, T* dots) {
  constexpr int lanes = bytes / static_cast<int>(sizeof(T));
  using Lanes = Vector<T, bytes>;
  Lanes sum[rows] = {};
  std::int64_t j = 0;
  for (; j + lanes <= stride; j += lanes) {
    const auto of_x = *reinterpret_cast<const Lanes*>(x + j);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      sum[r] += *reinterpret_cast<const Lanes*>(a + r * stride + j) * of_x;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
    dots[r] = sum_of_elements<T, bytes>(sum[r]);
    for (std::int64_t k = j; k < stride; ++k) dots[r] += a[r * stride + k] * x[k];
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

template <class T>
BOMBARD_AVX512 void dot_avx512(const T* a, std::int64_t rows, std::int64_t n, const T* x, T* dots) {
  dot_all<T, 64>(a, rows, n, x, dots);
}
template <class T>
BOMBARD_AVX2 void dot_avx2(const T* a, std::int64_t rows, std::int64_t n, const T* x, T* dots) {
  dot_all<T, 32>(a, rows, n, x, dots);
}
template <class T>
void dot_baseline(const T* a, std::int64_t rows, std::int64_t n, const T* x, T* dots) {
  dot_all<T, 16>(a, rows, n, x, dots);
}

/// max|x_new - x_old| and max|x_new|; NaN once there was one.
template <class T>
struct Sizes {
  T difference = 0;
  T value = 0;

  void include(const Sizes& other) {
    difference = std::max(difference, other.difference);
    value = std::isnan(other.value) ? other.value : std::max(value, other.value);  // keeps a NaN
  }
};

/// The new elements first .. last of x, from the scalar products of their rows that stand in their
/// place.
template <class T>
Sizes<T> update(std::int64_t first, std::int64_t last, const T* diagonal, const T* b,
                const T* current, T* next) {
  T difference = 0;
  T value = 0;
  bool unordered = false;
#pragma omp simd reduction(max : difference, value) reduction(| : unordered)
  for (std::int64_t i = first; i < last; ++i) {
    const T updated = current[i] + (b[i] - next[i]) / diagonal[i];
    next[i] = updated;
    difference = std::max(difference, std::abs(updated - current[i]));
    value = std::max(value, std::abs(updated));
    unordered |= updated != updated;
  }
  return {difference, unordered ? std::numeric_limits<T>::quiet_NaN() : value};
}

/// The iteration, given how to multiply some rows with x, first and number. Every thread does its
/// parts of the rows, then looks at all the parts' sizes: all decide the same, with one barrier a
/// sweep. Parts' sizes alternate between two arrays, as x does, so that nobody overwrites what
/// another still reads.
template <class T, class RowDots>
JacobiProgress iterate(const RowDots& row_dots, std::int64_t work, std::span<const T> diagonal,
                       std::span<const T> b, std::span<T> x, double tolerance, std::int64_t limit) {
  constexpr std::int64_t most_parts = 64;
  const auto n = static_cast<std::int64_t>(x.size());
  const std::int64_t parts = std::clamp<std::int64_t>(n / 64, 1, most_parts);
  std::vector<T> second(x.size());
  std::array<std::array<Sizes<T>, most_parts>, 2> sizes_of_part{};
  JacobiProgress progress;
#pragma omp parallel if (work > 1'000'000)
  {
    T* current = x.data();
    T* next = second.data();
    JacobiProgress mine;
    while (mine.iterations < limit && !mine.converged && !std::isnan(mine.change)) {
      auto& sizes = sizes_of_part[static_cast<std::size_t>(mine.iterations % 2)];
#pragma omp for schedule(static)
      for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t first = part * n / parts;
        const std::int64_t last = (part + 1) * n / parts;
        row_dots(first, last - first, current, next + first);
        sizes[static_cast<std::size_t>(part)] =
            update(first, last, diagonal.data(), b.data(), current, next);
      }
      Sizes<T> largest;
      for (const Sizes<T>& part : sizes) largest.include(part);
      const double difference = largest.difference;
      const double value = largest.value;
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
JacobiProgress jacobi(std::span<const T> a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, double tolerance, std::int64_t limit) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto dot = widest(dot_avx512<T>, dot_avx2<T>, dot_baseline<T>);
  const auto row_dots = [&](std::int64_t first, std::int64_t rows, const T* current, T* dots) {
    dot(a.data() + first * n, rows, n, current, dots);
  };
  return iterate(row_dots, n * n, diagonal, b, x, tolerance, limit);
}

template <class T>
JacobiProgress jacobi(const CsrView<T>& a, std::span<const T> diagonal, std::span<const T> b,
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

template JacobiProgress jacobi<float>(std::span<const float>, std::span<const float>,
                                      std::span<const float>, std::span<float>, double,
                                      std::int64_t);
template JacobiProgress jacobi<double>(std::span<const double>, std::span<const double>,
                                       std::span<const double>, std::span<double>, double,
                                       std::int64_t);
template JacobiProgress jacobi<float>(const CsrView<float>&, std::span<const float>,
                                      std::span<const float>, std::span<float>, double,
                                      std::int64_t);
template JacobiProgress jacobi<double>(const CsrView<double>&, std::span<const double>,
                                       std::span<const double>, std::span<double>, double,
                                       std::int64_t);

}  // namespace bombard::cpu
