#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/device_timer.hpp"
#include "kernels/device/measure.hpp"
#include "kernels/layer/attenuation.hpp"
#include "sim/engines/double_precision.hpp"
#include "sim/engines/error_bound.hpp"
#include "tools/benchmark/measurement.hpp"
#include "tools/benchmark/on_device.hpp"
#include "tools/benchmark/plain.hpp"

namespace bombard {

namespace {

double event_seconds(const std::function<void()>& work) {
  cuda::synchronize();
  cuda::DeviceTimer timer;
  timer.start();
  work();
  return timer.stop();
}

double copy_seconds(std::int64_t bytes) {
  cuda::require_device_memory(2 * bytes, "a copy of the layer");
  const cuda::DeviceArray<std::uint8_t> from(bytes);
  cuda::DeviceArray<std::uint8_t> to(bytes);
  return cuda::device_seconds(
      [&] { cuda::copy_on_device(from.span().data(), to.span().data(), bytes); });
}

double plain_seconds(std::span<const Impact> impacts, std::int64_t cells) {
  cuda::DeviceArray<float> layer{
      std::span<const float>(std::vector<float>(static_cast<std::size_t>(cells), 0.0F))};
  const cuda::DeviceArray<Impact> there{impacts};
  return median_seconds(true, 5, [&] { cuda::plain_kernel(there.span(), layer.span()); });
}

double convolution_seconds(Precision precision, std::int64_t cells, const Storm& storm,
                           double& peak) {
  const bool in_double = precision == Precision::binary64;
  const auto impacts = static_cast<std::int64_t>(storm.impacts.size());
  const auto bytes = static_cast<std::int64_t>(sizeof(Impact)) * impacts;
  cuda::require_device_memory(cuda::ConvolvedLayer::bytes(cells, false) + bytes, "the convolution");
  cuda::ConvolvedLayer layer(cells, {0, cells}, square_root_attenuation,
                             1000.0 / static_cast<double>(cells),
                             in_double ? double_precision_error : fast_error);
  const cuda::DeviceArray<Impact> there{std::span<const Impact>(storm.impacts)};
  cuda::DeviceArray<Screened> screened(1);
  const auto apply = [&] { layer.apply({there.span(), 0, cells - 1}, screened.span().data()); };
  apply();
  apply();
  Screened after_two;
  screened.copy_to({&after_two, 1});
  peak = after_two.peak.value;
  return cuda::device_seconds(apply);
}

const Registered measurements{
    DeviceMeasurements{event_seconds, copy_seconds, plain_seconds, convolution_seconds}};

}  // namespace

}  // namespace bombard
