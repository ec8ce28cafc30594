// Rows of two matrices that begin anywhere between 16-byte boundaries, on the device.

#include <cmath>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "solvers/sums/row_dots.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/base/random_values.hpp"

using namespace bombard;

namespace {

/// `skip`: elements before the first row.
template <class T>
void against_loop(std::int64_t rows, std::int64_t columns, std::size_t skip_a, std::size_t skip_b) {
  const auto a = random_values<T>(rows * columns + 4, 1);
  const auto b = random_values<T>(rows * columns + 4, 2);
  const cuda::DeviceArray<T> a_there{std::span<const T>(a)};
  const cuda::DeviceArray<T> b_there{std::span<const T>(b)};
  cuda::DeviceArray<double> there(rows);
  cuda::row_dots<T>(columns, a_there.span().subspan(skip_a), b_there.span().subspan(skip_b),
                    there.span(), 0);
  std::vector<double> dots(static_cast<std::size_t>(rows));
  there.copy_to(dots);
  for (std::int64_t row = 0; row < rows; ++row) {
    long double exact = 0;
    long double sizes = 0;
    for (std::int64_t j = row * columns; j < (row + 1) * columns; ++j) {
      const auto product = static_cast<long double>(a[j + skip_a]) * b[j + skip_b];
      exact += product;
      sizes += std::abs(product);
    }
    ASSERT_LE(std::abs(static_cast<long double>(dots[row]) - exact),
              static_cast<long double>(columns) * 0x1p-53L * sizes)
        << rows << " x " << columns << ", row " << row;
  }
}

TEST_F(GpuTest, ScalarProductsOfRowsThatBeginAnywhere) {
  for (const std::int64_t columns : {1, 2, 3, 31, 33, 127, 1000, 1024, 4099}) {
    against_loop<float>(5, columns, 1, 1);
    against_loop<float>(5, columns, 1, 2);
    against_loop<double>(5, columns, 0, 1);
  }
}

}  // namespace
