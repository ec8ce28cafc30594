#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "solvers/sort/sort_keys.hpp"
#include "solvers/timed.hpp"

namespace bombard {

namespace {

template <class T>
void sort_on_device(std::span<T> values, SortOrder order, SortKernel kernel, KernelTiming* timing) {
  // The values, and for CUB's radix sort their keys twice.
  cuda::require_device_memory(3 * static_cast<std::int64_t>(values.size_bytes()), "sorting");
  const auto sort = kernel == SortKernel::bitonic ? cuda::bitonic_sort<T> : cuda::radix_sort<T>;
  cuda::DeviceArray<T> there{std::span<const T>(values)};
  if (timing == nullptr) {
    sort(there.span(), order);
  } else {
    // Each repetition sorts the same values, put back by a copy whose time is taken off.
    const cuda::DeviceArray<T> unsorted{std::span<const T>(values)};
    const auto put_back = [&] {
      cuda::copy_on_device(unsorted.span().data(), there.span().data(),
                           static_cast<std::int64_t>(values.size_bytes()));
    };
    const double copy = cuda::device_seconds(put_back);
    cuda::run_timed(timing, [&] {
      put_back();
      sort(there.span(), order);
    });
    timing->seconds -= copy;
  }
  there.copy_to(values);
}

const Registered of_integers{DeviceSort<std::int32_t>{sort_on_device}};
const Registered in_single{DeviceSort<float>{sort_on_device}};
const Registered in_double{DeviceSort<double>{sort_on_device}};

}  // namespace

}  // namespace bombard
