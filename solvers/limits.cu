#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/device/measure.hpp"
#include "solvers/cublas.hpp"
#include "solvers/study.hpp"

namespace bombard::cuda {

namespace {

double copy_bandwidth() {
  constexpr std::int64_t count = std::int64_t{1} << 28;
  const DeviceArray<float> from(count);
  DeviceArray<float> to(count);
  const double seconds =
      device_seconds([&] { copy_on_device(from.span().data(), to.span().data(), 4 * count); });
  return 8.0 * static_cast<double>(count) / seconds;
}

__global__ void nothing_kernel() {}

void launch_nothing() {
  launch("nothing", {1, 32}, nothing_kernel);
}

const Registered limits{DeviceLimits{copy_bandwidth, [] { return device_seconds(launch_nothing); },
                                     [] { return single_call_seconds(launch_nothing); },
                                     has_cublas}};

}  // namespace

}  // namespace bombard::cuda
