#include "kernels/device/device_memory.hpp"
#include "kernels/device/measure.hpp"
#include "solvers/cublas.hpp"
#include "solvers/study.hpp"
#include "solvers/sums/schemes.hpp"

namespace bombard {

namespace {

double copy_bandwidth() {
  constexpr std::int64_t count = std::int64_t{1} << 28;
  const cuda::DeviceArray<float> from(count);
  cuda::DeviceArray<float> to(count);
  const double seconds = cuda::device_seconds(
      [&] { cuda::copy_on_device(from.span().data(), to.span().data(), 4 * count); });
  return 8.0 * static_cast<double>(count) / seconds;
}

double empty_launch_seconds() {
  return cuda::device_seconds(cuda::launch_nothing);
}

double single_empty_launch_seconds() {
  return cuda::single_call_seconds(cuda::launch_nothing);
}

const Registered limits{DeviceLimits{copy_bandwidth, empty_launch_seconds,
                                     single_empty_launch_seconds, cuda::has_cublas}};

}  // namespace

}  // namespace bombard
