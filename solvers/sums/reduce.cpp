#include "solvers/sums/reduce.hpp"

#include "bombard/errors.hpp"
#include "solvers/on_device.hpp"

namespace bombard {

// One operation for each element: the way to a GPU alone takes longer than the reduction here.
template <class T>
SumOf<T> sum(std::span<const T> values, const DeviceChoice& device) {
  return use_gpu(device, 0) ? on_device<DeviceReductions<T>>().sum(values) : cpu::sum(values);
}
template std::int64_t sum<std::int32_t>(std::span<const std::int32_t>, const DeviceChoice&);
template double sum<float>(std::span<const float>, const DeviceChoice&);
template double sum<double>(std::span<const double>, const DeviceChoice&);

template <class T>
T maximum(std::span<const T> values, const DeviceChoice& device) {
  if (values.empty()) throw InputError("there are no values, so there is no largest");
  return use_gpu(device, 0) ? on_device<DeviceReductions<T>>().maximum(values)
                            : cpu::maximum(values);
}
template std::int32_t maximum<std::int32_t>(std::span<const std::int32_t>, const DeviceChoice&);
template float maximum<float>(std::span<const float>, const DeviceChoice&);
template double maximum<double>(std::span<const double>, const DeviceChoice&);

}  // namespace bombard
