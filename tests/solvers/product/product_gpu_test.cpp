#include <vector>

#include "bombard/solve.hpp"
#include "kernels/device/device.hpp"
#include "solvers/product/product.hpp"
#include "tests/gpu.hpp"

using namespace bombard;

namespace {

class ProductOnGpus : public GpuTest {};

// Where cuBLAS is not installed, the tiled kernel computes.
TEST_F(ProductOnGpus, EachComputesInTheSameProcess) {
  const int gpus = static_cast<int>(cuda::devices().size());
  if (gpus < 2) GTEST_SKIP() << "one GPU";
  const std::vector<float> values{1, 2, 3, 4};
  const DenseView<float> matrix{2, 2, values};
  for (const int gpu : {0, 1, 0}) {
    EXPECT_EQ(solve::product(matrix, matrix, {Device::cuda, gpu}),
              (std::vector<float>{7, 10, 15, 22}))
        << "GPU " << gpu;
  }
}

}  // namespace
