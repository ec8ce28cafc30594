#include "kernels/device/device_memory.hpp"
#include "solvers/sums/schemes.hpp"
#include "tools/study/measure_on_device.hpp"
#include "tools/study/on_device.hpp"

namespace bombard::tools {

namespace {

double copy_bandwidth() {
  constexpr std::int64_t count = std::int64_t{1} << 28;
  const cuda::DeviceArray<float> from(count);
  cuda::DeviceArray<float> to(count);
  const double seconds = device_seconds(
      [&] { cuda::copy_on_device(from.span().data(), to.span().data(), 4 * count); });
  return 8.0 * static_cast<double>(count) / seconds;
}

double empty_launch_seconds() {
  return device_seconds(cuda::launch_nothing);
}

double single_empty_launch_seconds() {
  return single_call_seconds(cuda::launch_nothing);
}

const Registered limits{
    DeviceLimits{copy_bandwidth, empty_launch_seconds, single_empty_launch_seconds}};

}  // namespace

}  // namespace bombard::tools
