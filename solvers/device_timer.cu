#include "kernels/device/device_memory.hpp"
#include "kernels/device/measure.hpp"
#include "solvers/study.hpp"

namespace bombard::cuda {

void run_timed(double* seconds, const std::function<void()>& work) {
  if (seconds == nullptr) return work();
  *seconds = device_seconds(work);
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

const Registered copy{CopyBandwidth{copy_bandwidth}};

}  // namespace

}  // namespace bombard::cuda
