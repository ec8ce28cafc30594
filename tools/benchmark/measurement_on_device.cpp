#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/device/measure.hpp"
#include "tools/benchmark/measurement.hpp"
#include "tools/benchmark/on_device.hpp"
#include "tools/benchmark/plain.hpp"

namespace bombard {

namespace {

double event_seconds(const std::function<void()>& work) {
  cuda::synchronize();
  return cuda::event_seconds(work);
}

double plain_seconds(std::span<const Impact> impacts, std::int64_t cells) {
  cuda::DeviceArray<float> layer{
      std::span<const float>(std::vector<float>(static_cast<std::size_t>(cells), 0.0F))};
  const cuda::DeviceArray<Impact> there{impacts};
  return median_seconds(true, 5, [&] { cuda::plain_kernel(there.span(), layer.span()); });
}

const Registered measurements{DeviceMeasurements{event_seconds, plain_seconds}};

}  // namespace

}  // namespace bombard
