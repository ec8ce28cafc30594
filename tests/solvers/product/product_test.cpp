// Every kernel of the product against long double loops.

#include "solvers/product/product.hpp"

#include <omp.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "bombard/solve.hpp"
#include "kernels/device/device.hpp"
#include "solvers/study.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"

using namespace bombard;

namespace {

class ProductKernels : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, ProductKernels, testing::ValuesIn(backends()), name_of_backend);

/// Expects C to be A B within the bound on any order of sums in T: (inner + 1) units in the last
/// place of the sum of the products' magnitudes.
template <class T>
void expect_product(ProductShape shape, std::span<const T> a, std::span<const T> b,
                    std::span<const T> c) {
  const long double unit = std::is_same_v<T, float> ? 0x1p-24L : 0x1p-53L;
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    for (std::int64_t j = 0; j < shape.columns; ++j) {
      long double exact = 0;
      long double sizes = 0;
      for (std::int64_t k = 0; k < shape.inner; ++k) {
        const auto product =
            static_cast<long double>(a[static_cast<std::size_t>(i * shape.inner + k)]) *
            b[static_cast<std::size_t>(k * shape.columns + j)];
        exact += product;
        sizes += std::abs(product);
      }
      ASSERT_LE(std::abs(c[static_cast<std::size_t>(i * shape.columns + j)] - exact),
                static_cast<long double>(shape.inner + 1) * unit * sizes)
          << shape.rows << " x " << shape.inner << " x " << shape.columns << " at " << i << ", "
          << j;
    }
  }
}

/// A kernel of this backend, and the side of its blocks.
struct BlockedKernel {
  ProductKernel kernel;
  int block = 0;
};

std::vector<BlockedKernel> ways(bool on_gpu) {
  if (!on_gpu) return {{ProductKernel::automatic}};
  std::vector<BlockedKernel> all{{ProductKernel::automatic}, {ProductKernel::cublas}};
  if (!on_device<DeviceLimits>().has_cublas()) all.pop_back();
  for (const int side : {0, 8, 16, 32}) all.push_back({ProductKernel::naive, side});
  for (const int tile : {0, 32, 64, 128}) all.push_back({ProductKernel::tiled, tile});
  return all;
}

template <class T>
std::vector<T> multiplied(bool on_gpu, const BlockedKernel& way, ProductShape shape,
                          const std::vector<T>& a, const std::vector<T>& b) {
  if (!on_gpu) {
    return solve::product(DenseView<T>{shape.rows, shape.inner, a},
                          DenseView<T>{shape.inner, shape.columns, b}, {.device = Device::cpu});
  }
  std::vector<T> c(static_cast<std::size_t>(shape.rows * shape.columns),
                   std::numeric_limits<T>::quiet_NaN());
  on_device<DeviceProduct<T>>().multiply(shape, a, b, c, way.kernel, way.block, nullptr);
  return c;
}

template <class T>
void against_loop(bool on_gpu, ProductShape shape) {
  const auto a = random_values<T>(shape.rows * shape.inner, 1);
  const auto b = random_values<T>(shape.inner * shape.columns, 2);
  for (const BlockedKernel& way : ways(on_gpu)) {
    SCOPED_TRACE(way.block);
    expect_product<T>(shape, a, b, multiplied<T>(on_gpu, way, shape, a, b));
  }
}

TEST_P(ProductKernels, ByHand) {
  const std::vector<float> a{1, 2, 3, 4, 5, 6};
  const std::vector<float> b{7, 8, 9, 10, 11, 12};
  for (const BlockedKernel& way : ways(on_gpu())) {
    EXPECT_EQ(multiplied<float>(on_gpu(), way, {2, 3, 2}, a, b),
              (std::vector<float>{58, 64, 139, 154}));
  }
}

TEST_P(ProductKernels, EmptyShapes) {
  for (const BlockedKernel& way : ways(on_gpu())) {
    EXPECT_EQ(multiplied<double>(on_gpu(), way, {1, 0, 2}, {}, {}), (std::vector<double>{0, 0}));
    EXPECT_TRUE(multiplied(on_gpu(), way, {0, 5, 2}, {}, std::vector<double>(10)).empty());
    EXPECT_TRUE(multiplied<float>(on_gpu(), way, {0, 0, 0}, {}, {}).empty());
  }
}

TEST_P(ProductKernels, EveryKernelAndShape) {
  for (const ProductShape shape : {ProductShape{1, 1, 1},
                                   {1, 7, 1},
                                   {2, 3, 5},
                                   {11, 13, 17},
                                   {12, 32, 32},
                                   {13, 33, 33},
                                   {31, 33, 32},
                                   {32, 16, 32},
                                   {64, 64, 64},
                                   {65, 17, 63},
                                   {31, 256, 65},
                                   {121, 257, 64},
                                   {128, 32, 128},
                                   {129, 100, 132},
                                   {1, 600, 300},
                                   {300, 600, 1},
                                   {130, 520, 97}}) {
    against_loop<float>(on_gpu(), shape);
    against_loop<double>(on_gpu(), shape);
  }
}

// More tiles than a GPU has multiprocessors; wider than a panel of the processor's.
TEST_P(ProductKernels, LargeShapes) {
  against_loop<float>(on_gpu(), {14, 20, 3100});
  if (!on_gpu()) return;
  against_loop<float>(true, {1300, 72, 516});
  against_loop<float>(true, {517, 131, 1301});
}

// Large enough to run on several threads, whose blocks of rows differ with their number.
TEST_P(ProductKernels, TheSameBitsOnAnyNumberOfThreads) {
  if (on_gpu()) return;
  const ProductShape shape{290, 300, 150};
  const auto a = random_values<float>(shape.rows * shape.inner, 1);
  const auto b = random_values<float>(shape.inner * shape.columns, 2);
  const int threads_before = omp_get_max_threads();
  std::vector<float> expected;
  for (const int threads : {1, 2, 3, 7}) {
    omp_set_num_threads(threads);
    against_loop<double>(false, shape);
    const auto c = multiplied<float>(false, {}, shape, a, b);
    expect_product<float>(shape, a, b, c);
    if (threads == 1) expected = c;
    EXPECT_EQ(c, expected) << threads << " threads";
  }
  omp_set_num_threads(threads_before);
}

}  // namespace
