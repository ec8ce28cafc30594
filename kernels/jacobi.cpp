#include "kernels/jacobi.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/vector.hpp"

namespace bombard::cpu {

namespace {

/// The scalar product of a row and x, in T: four vectors of sums.
template <class T, int bytes>
[[gnu::always_inline]] inline T dot_in_vectors(const T* a, const T* x, std::int64_t count) {
  constexpr int lanes = bytes / static_cast<int>(sizeof(T));
  constexpr int sums = 4;
  using Lanes = Vector<T, bytes>;
  Lanes sum[sums] = {};
  std::int64_t j = 0;
  for (; j + sums * lanes <= count; j += sums * lanes) {
    for (int i = 0; i < sums; ++i) {
      sum[i] += *reinterpret_cast<const Lanes*>(a + j + i * lanes) *
                *reinterpret_cast<const Lanes*>(x + j + i * lanes);
    }
  }
  T total = sum_of_elements<T, bytes>((sum[0] + sum[1]) + (sum[2] + sum[3]));
  for (; j < count; ++j) total += a[j] * x[j];
  return total;
}

template <class T>
BOMBARD_AVX512 T dot_avx512(const T* a, const T* x, std::int64_t count) {
  return dot_in_vectors<T, 64>(a, x, count);
}
template <class T>
BOMBARD_AVX2 T dot_avx2(const T* a, const T* x, std::int64_t count) {
  return dot_in_vectors<T, 32>(a, x, count);
}
template <class T>
T dot_baseline(const T* a, const T* x, std::int64_t count) {
  return dot_in_vectors<T, 16>(a, x, count);
}

/// The larger of two; NaN once there was one.
double larger(double a, double b) {
  return a < b || b != b ? b : a;
}

struct Sizes {
  double difference = 0;  ///< max|x_new - x_old|
  double value = 0;       ///< max|x_new|
};

/// The iteration, given how to multiply a row with x. Every thread does its parts of the rows, then
/// looks at all the parts' sizes: all decide the same, with one barrier a sweep. Parts' sizes
/// alternate between two arrays, as x does, so that nobody overwrites what another still reads.
template <class T, class RowDot>
JacobiProgress iterate(const RowDot& row_dot, std::int64_t work, std::span<const T> diagonal,
                       std::span<const T> b, std::span<T> x, double tolerance, std::int64_t limit) {
  constexpr std::int64_t parts = 64;
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<T> second(x.size());
  std::array<std::array<Sizes, parts>, 2> sizes_of_part{};
  JacobiProgress progress;
#pragma omp parallel if (work > 50'000)
  {
    T* current = x.data();
    T* next = second.data();
    JacobiProgress mine;
    while (mine.iterations < limit && !mine.converged && !std::isnan(mine.change)) {
      auto& sizes = sizes_of_part[static_cast<std::size_t>(mine.iterations % 2)];
#pragma omp for schedule(static)
      for (std::int64_t part = 0; part < parts; ++part) {
        Sizes largest;
        for (std::int64_t i = part * n / parts; i < (part + 1) * n / parts; ++i) {
          const auto row = static_cast<std::size_t>(i);
          const T updated = current[i] + (b[row] - row_dot(i, current)) / diagonal[row];
          next[i] = updated;
          largest.difference =
              larger(largest.difference, std::abs(static_cast<double>(updated) - current[i]));
          largest.value = larger(largest.value, std::abs(static_cast<double>(updated)));
        }
        sizes[static_cast<std::size_t>(part)] = largest;
      }
      Sizes largest;
      for (const Sizes& part : sizes) {
        largest.difference = larger(largest.difference, part.difference);
        largest.value = larger(largest.value, part.value);
      }
      mine.converged =
          largest.difference <= tolerance * largest.value && std::isfinite(largest.value);
      mine.change = largest.difference == 0 ? 0 : largest.difference / largest.value;
      if (!std::isfinite(largest.value)) mine.change = std::nan("");
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
  const auto row_dot = [&](std::int64_t row, const T* current) {
    return dot(a.data() + row * n, current, n);
  };
  return iterate(row_dot, n * n, diagonal, b, x, tolerance, limit);
}

template <class T>
JacobiProgress jacobi(const CsrView<T>& a, std::span<const T> diagonal, std::span<const T> b,
                      std::span<T> x, double tolerance, std::int64_t limit) {
  const auto row_dot = [&](std::int64_t row, const T* current) {
    const std::int64_t* offset = a.row_offsets.data() + row;
    T sum = 0;
    for (std::int64_t entry = offset[0]; entry < offset[1]; ++entry) {
      const auto e = static_cast<std::size_t>(entry);
      sum += a.values[e] * current[a.column_indices[e]];
    }
    return sum;
  };
  return iterate(row_dot, static_cast<std::int64_t>(a.values.size()), diagonal, b, x, tolerance,
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
