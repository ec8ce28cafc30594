#include "solvers/sums/row_dots.hpp"

#include "kernels/base/vector.hpp"
#include "solvers/sums/compensated_sum.hpp"

namespace bombard::cpu {

namespace {

template <class T>
[[gnu::always_inline]] inline double dot_of_rows(const T* a, const T* b, std::int64_t count) {
  const auto product = [=](std::int64_t j) {
    return static_cast<double>(a[j]) * static_cast<double>(b[j]);
  };
  return compensated_sum(count, product).value();
}

}  // namespace

template <class T>
void row_dots(std::int64_t columns, std::span<const T> a, std::span<const T> b,
              std::span<double> dots) {
  const auto rows = static_cast<std::int64_t>(dots.size());
#pragma omp parallel for schedule(static) if (rows * columns > 500'000)
  for (std::int64_t row = 0; row < rows; ++row) {
    dots[static_cast<std::size_t>(row)] =
        by_widest<dot_of_rows<T>>(a.data() + row * columns, b.data() + row * columns, columns);
  }
}
template void row_dots<float>(std::int64_t, std::span<const float>, std::span<const float>,
                              std::span<double>);
template void row_dots<double>(std::int64_t, std::span<const double>, std::span<const double>,
                               std::span<double>);

}  // namespace bombard::cpu
