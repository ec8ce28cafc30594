#include "kernels/device/device_memory.hpp"
#include "kernels/device/measure.hpp"
#include "solvers/cublas.hpp"
#include "solvers/study.hpp"
#include "solvers/sums/reduction.hpp"

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

const Registered limits{
    DeviceLimits{copy_bandwidth, [] { return cuda::device_seconds(cuda::launch_nothing); },
                 [] { return cuda::single_call_seconds(cuda::launch_nothing); }, cuda::has_cublas}};

}  // namespace

}  // namespace bombard
