// The products on the device against long double loops.

#include <limits>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "solvers/cublas.hpp"
#include "solvers/product/multiply.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/product/product_oracle.hpp"

using namespace bombard;

namespace {

class SmallProductsOnGpu : public GpuTest {};

template <class T, class Multiply>
void against_loop(ProductShape shape, const Multiply& multiply) {
  const auto a = random_values<T>(shape.rows * shape.inner, 1);
  const auto b = random_values<T>(shape.inner * shape.columns, 2);
  std::vector<T> c(static_cast<std::size_t>(shape.rows * shape.columns),
                   std::numeric_limits<T>::quiet_NaN());
  const cuda::DeviceArray<T> a_there{std::span<const T>(a)};
  const cuda::DeviceArray<T> b_there{std::span<const T>(b)};
  cuda::DeviceArray<T> c_there{std::span<const T>(c)};
  multiply(shape, a_there.span(), b_there.span(), c_there.span());
  c_there.copy_to(c);
  expect_product<T>(shape, a, b, c);
}

template <class T>
void every_kernel(ProductShape shape) {
  for (const int side : {8, 16, 32}) {
    against_loop<T>(shape, [=](auto shape, auto a, auto b, auto c) {
      cuda::naive_product<T>(shape, a, b, c, side);
    });
  }
  for (const int tile : {0, 32, 64, 128}) {
    against_loop<T>(shape, [=](auto shape, auto a, auto b, auto c) {
      cuda::tiled_product<T>(shape, a, b, c, tile);
    });
  }
  if (cuda::has_cublas()) against_loop<T>(shape, cuda::cublas_product<T>);
}

TEST_F(SmallProductsOnGpu, EveryKernelAndShape) {
  for (const ProductShape shape : {ProductShape{1, 1, 1},
                                   {1, 7, 1},
                                   {2, 3, 5},
                                   {31, 33, 32},
                                   {32, 16, 32},
                                   {64, 64, 64},
                                   {65, 17, 63},
                                   {128, 32, 128},
                                   {129, 100, 132},
                                   {1, 300, 200},
                                   {200, 300, 1},
                                   {5, 0, 3}}) {
    every_kernel<float>(shape);
    every_kernel<double>(shape);
  }
}

TEST_F(GpuTest, ProductsOfManyTiles) {
  every_kernel<float>({1300, 72, 516});
  every_kernel<float>({517, 131, 1301});
}

}  // namespace
