#include <cuda_runtime.h>

#include <cstdlib>
#include <vector>

#include "bombard/simulation.hpp"
#include "bombard/solve.hpp"
#include "kernels/device/device.hpp"
#include "tests/gpu.hpp"

namespace bombard {
namespace {

class SimulationOnGpu : public GpuTest {};

TEST_F(SimulationOnGpu, LeavesTheCallersDeviceCurrent) {
  if (cuda::devices().size() < 2) GTEST_SKIP() << "one GPU only";
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

// In new processes, because no GPU is started there, and because a fault ends all work on a GPU.
class NewProcessOnGpu : public GpuTest {
 protected:
  NewProcessOnGpu() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(NewProcessOnGpu, StartsNoGpuToRestoreIt) {
  if (cuda::devices().size() < 2) GTEST_SKIP() << "one GPU only";
  EXPECT_EXIT(
      {
        {
          Simulation simulation(100, {.device = {Device::cuda, 1}});
          simulation.apply(std::vector<Impact>{{5, 7}});
        }
        std::_Exit(is_started(1) && !is_started(0) ? 3 : 4);
      },
      testing::ExitedWithCode(3), "");
}

__global__ void fault_kernel() {
  __trap();
}

/// A kernel of the caller's that fails; whether it did.
bool fail() {
  fault_kernel<<<1, 1>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}

TEST_F(NewProcessOnGpu, AFaultOfTheCallersDoesNotEndTheProgram) {
  EXPECT_EXIT(
      {
        {
          Simulation simulation(100, {.device = {Device::cuda, 0}});
          simulation.apply(std::vector<Impact>{{5, 7}});
          if (!fail()) std::_Exit(4);
        }
        std::_Exit(3);
      },
      testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace bombard
