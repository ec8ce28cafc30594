#include "kernels/device/device_memory.hpp"
#include "solvers/sort/sort_keys.hpp"
#include "tools/study/measure_on_device.hpp"
#include "tools/study/on_device.hpp"

namespace bombard::tools {

namespace {

void sorts(std::span<const std::int32_t> values, std::span<std::int32_t> sorted,
           const AddMethod& add) {
  const cuda::DeviceArray<std::int32_t> unsorted{values};
  cuda::DeviceArray<std::int32_t> there(static_cast<std::int64_t>(values.size()));
  // Each repetition sorts the same values, put back by a copy whose time is taken off.
  const auto put_back = [&] {
    cuda::copy_on_device(unsorted.span().data(), there.span().data(),
                         static_cast<std::int64_t>(unsorted.span().size_bytes()));
  };
  const double copy = device_seconds(put_back);
  const auto measure = [&](const std::string& method, const auto& sort) {
    const double seconds = device_seconds([&] {
      put_back();
      sort(there.span(), SortOrder::ascending);
    });
    there.copy_to(sorted);
    add(method, seconds - copy);
  };
  measure("bitonic", cuda::bitonic_sort<std::int32_t>);
  measure("CUB radix", cuda::radix_sort<std::int32_t>);
}

const Registered study{DeviceSortStudy{sorts}};

}  // namespace

}  // namespace bombard::tools
