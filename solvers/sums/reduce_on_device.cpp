#include "kernels/device/device_memory.hpp"
#include "solvers/on_device.hpp"
#include "solvers/sums/reduction.hpp"

namespace bombard {

namespace {

template <class T>
cuda::DeviceArray<T> sent(std::span<const T> values) {
  cuda::require_device_memory(static_cast<std::int64_t>(values.size_bytes()), "the reduction");
  return cuda::DeviceArray<T>(values);
}

template <class T>
SumOf<T> sum_on_device(std::span<const T> values) {
  const cuda::DeviceArray<T> there = sent(values);
  return cuda::sum<T>(there.span());
}

template <class T>
T maximum_on_device(std::span<const T> values) {
  const cuda::DeviceArray<T> there = sent(values);
  return cuda::maximum<T>(there.span());
}

template <class T>
constexpr DeviceReductions<T> reductions{sum_on_device<T>, maximum_on_device<T>};

const Registered of_integers{reductions<std::int32_t>};
const Registered in_single{reductions<float>};
const Registered in_double{reductions<double>};

}  // namespace

}  // namespace bombard
