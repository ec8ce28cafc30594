#include "solvers/sums/row_dots.hpp"

#include "kernels/base/vector.hpp"
#include "solvers/sums/compensated_sum.hpp"

namespace bombard::cpu {

namespace {

/// One pair of rows: four compensated sums of a vector of doubles each, then the rest one by one.
template <class T, int bytes>
[[gnu::always_inline]] inline double dot_in_vectors(const T* a, const T* b, std::int64_t count) {
  constexpr int lanes = bytes / static_cast<int>(sizeof(double));
  constexpr int sums = 4;
  using Loaded = Vector<T, lanes* static_cast<int>(sizeof(T))>;
  using Sum = Vector<double, bytes>;
  Sum sum[sums] = {};
  Sum lost[sums] = {};
  std::int64_t j = 0;
  for (; j + sums * lanes <= count; j += sums * lanes) {
    for (int i = 0; i < sums; ++i) {
      const auto x = *reinterpret_cast<const Loaded*>(a + j + i * lanes);
      const auto y = *reinterpret_cast<const Loaded*>(b + j + i * lanes);
      const Sum product = __builtin_convertvector(x, Sum) * __builtin_convertvector(y, Sum);
      const Sum total = sum[i] + product;
      lost[i] += rounded_off<Sum>(sum[i], product, total);
      sum[i] = total;
    }
  }
  for (int half = sums / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) {
      const Sum total = sum[i] + sum[i + half];
      lost[i] += lost[i + half] + rounded_off<Sum>(sum[i], sum[i + half], total);
      sum[i] = total;
    }
  }
  CompensatedSum total{};
  for (int lane = 0; lane < lanes; ++lane) total.add({sum[0][lane], lost[0][lane]});
  for (; j < count; ++j) total.add(static_cast<double>(a[j]) * static_cast<double>(b[j]));
  return total.value();
}

}  // namespace

template <class T>
void row_dots(std::int64_t columns, std::span<const T> a, std::span<const T> b,
              std::span<double> dots) {
  const auto rows = static_cast<std::int64_t>(dots.size());
#pragma omp parallel for schedule(static) if (rows * columns > 500'000)
  for (std::int64_t row = 0; row < rows; ++row) {
    dots[static_cast<std::size_t>(row)] =
        by_widest<dot_in_vectors<T, 64>, dot_in_vectors<T, 32>, dot_in_vectors<T, 16>>(
            a.data() + row * columns, b.data() + row * columns, columns);
  }
}
template void row_dots<float>(std::int64_t, std::span<const float>, std::span<const float>,
                              std::span<double>);
template void row_dots<double>(std::int64_t, std::span<const double>, std::span<const double>,
                               std::span<double>);

}  // namespace bombard::cpu
