// Scalar products of rows on the device against long double loops.

#include <cmath>

#include "kernels/device/device_memory.hpp"
#include "solvers/cublas.hpp"
#include "solvers/sums/row_dots.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/base/random_values.hpp"

using namespace bombard;

namespace {

class SmallRowDotsOnGpu : public GpuTest {};

/// `skip`: elements before the first row, so that rows begin anywhere.
template <class T>
void against_loop(std::int64_t rows, std::int64_t columns, int threads, std::size_t skip_a,
                  std::size_t skip_b) {
  const auto a = random_values<T>(rows * columns + 4, 1);
  const auto b = random_values<T>(rows * columns + 4, 2);
  const cuda::DeviceArray<T> a_there{std::span<const T>(a)};
  const cuda::DeviceArray<T> b_there{std::span<const T>(b)};
  cuda::DeviceArray<double> there(rows);
  cuda::row_dots<T>(columns, a_there.span().subspan(skip_a), b_there.span().subspan(skip_b),
                    there.span(), threads);
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
        << rows << " x " << columns << ", row " << row << ", " << threads << " threads";
  }
}

TEST_F(SmallRowDotsOnGpu, EveryShape) {
  for (const std::int64_t columns : {1, 2, 3, 31, 33, 127, 1000, 1024, 4099}) {
    for (const int threads : {0, 32, 128, 256, 512, 1024}) {
      against_loop<float>(11, columns, threads, 0, 0);
      against_loop<double>(11, columns, threads, 0, 0);
    }
    against_loop<float>(5, columns, 0, 1, 1);
    against_loop<float>(5, columns, 0, 1, 2);
    against_loop<double>(5, columns, 0, 0, 1);
  }
}

TEST_F(SmallRowDotsOnGpu, KeepWhatLargerProductsHide) {
  for (const std::int64_t columns : {3, 32, 33, 1000, 20'000}) {
    for (const int threads : {0, 32, 128, 256, 512, 1024}) {
      std::vector<double> a(static_cast<std::size_t>(columns), 1);
      a[0] = 1e8;
      a[a.size() - 1] = -1e8;
      std::vector<double> b = a;
      b[b.size() - 1] = 1e8;
      const cuda::DeviceArray<double> a_there{std::span<const double>(a)};
      const cuda::DeviceArray<double> b_there{std::span<const double>(b)};
      cuda::DeviceArray<double> there(1);
      cuda::row_dots<double>(columns, a_there.span(), b_there.span(), there.span(), threads);
      double dot = 0;
      there.copy_to({&dot, 1});
      EXPECT_EQ(dot, static_cast<double>(columns - 2)) << columns << " by " << threads;
    }
  }
}

TEST_F(SmallRowDotsOnGpu, CublasIsTheSameUpToItsPrecision) {
  if (!cuda::has_cublas()) GTEST_SKIP() << "no cuBLAS here";
  const std::int64_t rows = 7;
  const std::int64_t columns = 501;
  const auto a = random_values<float>(rows * columns, 1);
  const auto b = random_values<float>(rows * columns, 2);
  const cuda::DeviceArray<float> a_there{std::span<const float>(a)};
  const cuda::DeviceArray<float> b_there{std::span<const float>(b)};
  cuda::DeviceArray<float> there(rows);
  cuda::cublas_row_dots<float>(columns, a_there.span(), b_there.span(), there.span());
  std::vector<float> dots(rows);
  there.copy_to(dots);
  for (std::int64_t row = 0; row < rows; ++row) {
    double exact = 0;
    double sizes = 0;
    for (std::int64_t j = row * columns; j < (row + 1) * columns; ++j) {
      exact += static_cast<double>(a[j]) * b[j];
      sizes += std::abs(static_cast<double>(a[j]) * b[j]);
    }
    EXPECT_LE(std::abs(dots[row] - exact), columns * 0x1p-24 * sizes) << row;
  }
}

}  // namespace
