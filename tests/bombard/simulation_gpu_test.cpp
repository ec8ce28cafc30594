// Simulations side by side: two on one GPU and one on the processor, each in a thread of its own.

#include <cuda_runtime_api.h>

#include <string>
#include <thread>
#include <vector>

#include "bombard/simulation.hpp"
#include "bombard/solve.hpp"
#include "kernels/device/device.hpp"
#include "sim/generation.hpp"
#include "tests/gpu.hpp"

namespace bombard {
namespace {

class SimulationOnGpu : public GpuTest {};

constexpr std::int64_t cells = 20'000;

std::vector<Storm> storms_of(int seed) {
  std::vector<Storm> storms;
  for (int storm = 0; storm < 4; ++storm) {
    storms.push_back(generate_storm(cells, 300, 1, 1000, seed, storm));
  }
  return storms;
}

/// The maxima of several simulations, one after another, storm by storm.
std::vector<Maximum> repeated(const SimulationSettings& settings, int seed) {
  std::vector<Maximum> maxima;
  for (int turn = 0; turn < 10; ++turn) {
    Simulation simulation(cells, settings);
    for (const Storm& storm : storms_of(seed)) maxima.push_back(simulation.apply(storm.impacts));
  }
  return maxima;
}

TEST_F(SimulationOnGpu, SeveralThreadsHaveOneEach) {
  for (const Method method : {Method::direct, Method::fast}) {
    const SimulationSettings on_gpu{.device = Device::cuda, .method = method};
    const SimulationSettings on_processor{.device = Device::cpu, .method = method};
    std::vector<Maximum> found[3];
    std::jthread first([&] { found[0] = repeated(on_gpu, 1); });
    std::jthread second([&] { found[1] = repeated(on_gpu, 2); });
    std::jthread third([&] { found[2] = repeated(on_processor, 1); });
    for (std::jthread* thread : {&first, &second, &third}) thread->join();
    EXPECT_EQ(found[0], found[2]) << name_of(method);
    EXPECT_EQ(found[1], repeated(on_processor, 2)) << name_of(method);
  }
}

TEST_F(SimulationOnGpu, GoesOnFromALayer) {
  const std::vector<Storm> storms = storms_of(3);
  for (const Method method : {Method::direct, Method::fast}) {
    Simulation whole(cells, {.device = Device::cpu, .method = Method::direct});
    Simulation rest(cells, {.device = Device::cuda, .method = method});
    whole.apply(std::span(storms).first(2));
    rest.begin_with(whole.layer());
    EXPECT_EQ(rest.apply(std::span(storms).subspan(2)), whole.apply(std::span(storms).subspan(2)));
  }
}

TEST_F(SimulationOnGpu, GoesFromThreadToThread) {
  Simulation on_processor(cells, {.device = Device::cpu});
  Simulation on_gpu(cells, {.device = Device::cuda});
  for (const Storm& storm : storms_of(4)) {
    Maximum maximum;
    std::jthread([&] { maximum = on_gpu.apply(storm.impacts); }).join();
    EXPECT_EQ(maximum, on_processor.apply(storm.impacts));
  }
}

TEST_F(SimulationOnGpu, LeavesTheCallersDeviceCurrent) {
  int devices = 0;
  ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
  if (devices < 2) GTEST_SKIP() << "one GPU only";
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  Simulation simulation(cells, {.device = {Device::cuda, 0}});
  simulation.apply(storms_of(5));
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
