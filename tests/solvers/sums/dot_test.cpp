// Scalar products of rows against Eigen in long double.

#include "solvers/sums/dot.hpp"

#include <cmath>
#include <vector>

#include "bombard/solve.hpp"
#include "kernels/device/device.hpp"
#include "solvers/eigen_views.hpp"
#include "solvers/study.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"

using namespace bombard;

namespace {

class DotKernels : public BackendTest {
 protected:
  /// Threads for each row; on the processor there is no choice.
  static std::vector<int> threads() {
    return on_gpu() ? std::vector{0, 32, 128, 256, 512, 1024} : std::vector{0};
  }
  template <class T>
  static std::vector<double> dots(std::int64_t rows, std::int64_t columns, const std::vector<T>& a,
                                  const std::vector<T>& b, int threads = 0,
                                  DotKernel kernel = DotKernel::inhouse) {
    const DenseView<T> left{rows, columns, a};
    const DenseView<T> right{rows, columns, b};
    if (!on_gpu()) return solve::dot(left, right, Device::cpu);
    std::vector<double> dots(static_cast<std::size_t>(rows), 5);
    on_device<DeviceDot<T>>().dot(left, right, dots, kernel, threads, nullptr);
    return dots;
  }
  /// `unit`: of the sums' roundings.
  template <class T>
  static void against_loop(std::int64_t rows, std::int64_t columns, int threads = 0,
                           DotKernel kernel = DotKernel::inhouse, long double unit = 0x1p-53L) {
    const auto a = random_values<T>(rows * columns, 1);
    const auto b = random_values<T>(rows * columns, 2);
    const auto found = dots(rows, columns, a, b, threads, kernel);
    const auto wide = [&](const std::vector<T>& values) {
      return in_eigen<T>({rows, columns, values}).template cast<long double>();
    };
    const RowMajor<long double> products = wide(a).cwiseProduct(wide(b));
    for (std::int64_t row = 0; row < rows; ++row) {
      ASSERT_LE(std::abs(found[row] - products.row(row).sum()),
                static_cast<long double>(columns) * unit * products.row(row).cwiseAbs().sum())
          << rows << " x " << columns << ", row " << row << ", " << threads << " threads";
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, DotKernels, testing::ValuesIn(backends()), name_of_backend);

TEST_P(DotKernels, ByHand) {
  EXPECT_EQ(dots<float>(2, 3, {1, 2, 3, -1, 0.5F, 0}, {4, 5, 6, 2, 2, 9}),
            (std::vector<double>{32, -1}));
  EXPECT_EQ(dots<float>(1, 3, {1e8F, 1, -1e8F}, {1, 1, 1}), std::vector<double>{1});
  EXPECT_EQ(dots<double>(2, 0, {}, {}), (std::vector<double>{0, 0}));
}

TEST_P(DotKernels, KeepWhatLargerProductsHide) {
  for (const std::int64_t columns : {3, 32, 33, 1000, 20'000}) {
    for (const int threads : this->threads()) {
      const auto size = static_cast<std::size_t>(columns);
      std::vector<double> a(size, 0.5);
      std::vector<double> b(size, 2);
      a[0] = 1e16;
      b[size - 1] = -4e16;
      EXPECT_EQ(dots(1, columns, a, b, threads)[0], static_cast<double>(columns - 2))
          << columns << " by " << threads;
      a[0] = INFINITY;
      EXPECT_EQ(dots(1, columns, a, b, threads)[0], INFINITY);
    }
  }
}

TEST_P(DotKernels, AgainstALoop) {
  for (const std::int64_t columns : {1, 2, 3, 7, 8, 31, 32, 33, 64, 127, 1000, 1024, 4099, 10007}) {
    for (const int threads : this->threads()) {
      against_loop<float>(11, columns, threads);
      against_loop<double>(11, columns, threads);
    }
  }
  against_loop<float>(1009, 130);
}

TEST_P(DotKernels, CublasIsTheSameUpToItsPrecision) {
  if (!on_gpu() || !on_device<DeviceLimits>().has_cublas()) GTEST_SKIP() << "no cuBLAS here";
  against_loop<float>(7, 501, 0, DotKernel::cublas, 0x1p-24L);
}

}  // namespace
