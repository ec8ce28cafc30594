#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/device/measure.hpp"
#include "solvers/study.hpp"

namespace bombard::cuda {

void run_measured(KernelFigures* figures, const std::function<void()>& work) {
  if (figures == nullptr || figures->once) return work();
  constexpr double short_seconds = 1e-3;
  figures->seconds = device_seconds(work);
  if (figures->seconds < short_seconds) figures->single_seconds = single_call_seconds(work);
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

KernelFigures empty_launch() {
  KernelFigures figures;
  run_measured(&figures, [] { launch("nothing", {1, 32}, nothing_kernel); });
  return figures;
}

const Registered limits{DeviceLimits{copy_bandwidth, empty_launch}};

}  // namespace

}  // namespace bombard::cuda
