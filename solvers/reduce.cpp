#include "solvers/reduce.hpp"

#include "inputs/errors.hpp"
#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"

namespace bombard {

namespace {

// One operation an element: the way to a GPU alone takes longer than the reduction here.
bool on_gpu(const DeviceChoice& device, std::size_t bytes) {
  if (!use_gpu(device, 0)) return false;
  cuda::require_device_memory(static_cast<std::int64_t>(bytes), "the reduction");
  return true;
}

}  // namespace

template <class T>
SumOf<T> sum(std::span<const T> values, const DeviceChoice& device) {
  if (!on_gpu(device, values.size_bytes())) return cpu::sum(values);
  return cuda::sum<T>(cuda::DeviceArray<T>(values).span());
}
template std::int64_t sum<std::int32_t>(std::span<const std::int32_t>, const DeviceChoice&);
template double sum<float>(std::span<const float>, const DeviceChoice&);
template double sum<double>(std::span<const double>, const DeviceChoice&);

template <class T>
T maximum(std::span<const T> values, const DeviceChoice& device) {
  if (values.empty()) throw InputError("there are no values, so there is no largest");
  if (!on_gpu(device, values.size_bytes())) return cpu::maximum(values);
  return cuda::maximum<T>(cuda::DeviceArray<T>(values).span());
}
template std::int32_t maximum<std::int32_t>(std::span<const std::int32_t>, const DeviceChoice&);
template float maximum<float>(std::span<const float>, const DeviceChoice&);
template double maximum<double>(std::span<const double>, const DeviceChoice&);

}  // namespace bombard
