#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/device/measure.hpp"
#include "solvers/cublas.hpp"
#include "solvers/kernel_timing.hpp"
#include "solvers/study.hpp"

namespace bombard::cuda {

void run_timed(KernelTiming* timing, const std::function<void()>& work) {
  if (timing == nullptr) return work();
  timing->seconds = device_seconds(work);
  if (timing->single_calls) timing->single_seconds = single_call_seconds(work);
}

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

KernelTiming empty_launch() {
  KernelTiming timing{.single_calls = true};
  run_timed(&timing, [] { launch("nothing", {1, 32}, nothing_kernel); });
  return timing;
}

const Registered limits{DeviceLimits{copy_bandwidth, empty_launch, has_cublas}};

}  // namespace

}  // namespace bombard::cuda
