#include <cuda_runtime_api.h>

#include <vector>

#include "bombard/simulation.hpp"
#include "bombard/solve.hpp"
#include "tests/gpu.hpp"

namespace bombard {
namespace {

class SimulationOnGpu : public GpuTest {};

TEST_F(SimulationOnGpu, LeavesTheCallersDeviceCurrent) {
  int devices = 0;
  ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
  if (devices < 2) GTEST_SKIP() << "one GPU only";
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  Simulation simulation(100, {.device = {Device::cuda, 0}});
  simulation.apply(std::vector<Impact>{{5, 7}});
  simulation.reset();
  const std::vector<double> values{1, 2, 3};
  EXPECT_EQ(solve::sum(std::span(values), {Device::cuda, 0}), 6);
  int current = -1;
  ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 1);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
}

}  // namespace
}  // namespace bombard
