#include "solvers/on_device.hpp"

#include "kernels/device/device_memory.hpp"
#include "solvers/sort/sort_keys.hpp"

namespace bombard {

namespace {

template <class T>
void sort_on_device(std::span<T> values, SortOrder order, SortKernel kernel) {
  // The values, and for CUB's radix sort their keys twice.
  cuda::require_device_memory(3 * static_cast<std::int64_t>(values.size_bytes()), "sorting");
  cuda::DeviceArray<T> there{std::span<const T>(values)};
  if (kernel == SortKernel::bitonic) {
    cuda::bitonic_sort(there.span(), order);
  } else {
    cuda::radix_sort(there.span(), order);
  }
  there.copy_to(values);
}

const Registered of_integers{DeviceSort<std::int32_t>{sort_on_device<std::int32_t>}};
const Registered in_single{DeviceSort<float>{sort_on_device<float>}};
const Registered in_double{DeviceSort<double>{sort_on_device<double>}};

}  // namespace

}  // namespace bombard
