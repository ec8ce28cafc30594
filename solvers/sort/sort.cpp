#include "solvers/sort/sort.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "solvers/on_device.hpp"
#include "solvers/references.hpp"

namespace bombard {

template <class T>
bool sort(std::span<T> values, SortOrder order, SortKernel kernel, const DeviceChoice& device,
          const std::function<void()>& interrupt) {
  const auto size = static_cast<double>(values.size());
  const double comparisons = size * std::log2(size + 2);
  if (!use_gpu(device, comparisons * 1.5e-9 / omp_get_max_threads())) {
    cpu::sort(values, order, interrupt);
    return false;
  }
  on_device<DeviceSort<T>>().sort(values, order, kernel);
  return true;
}
template bool sort<std::int32_t>(std::span<std::int32_t>, SortOrder, SortKernel,
                                 const DeviceChoice&, const std::function<void()>&);
template bool sort<float>(std::span<float>, SortOrder, SortKernel, const DeviceChoice&,
                          const std::function<void()>&);
template bool sort<double>(std::span<double>, SortOrder, SortKernel, const DeviceChoice&,
                           const std::function<void()>&);

template <class T>
void sort_reference(std::span<T> values, SortOrder order) {
  if constexpr (std::is_floating_point_v<T>) {
    for (T& value : values) {
      if (std::isnan(value)) value = std::copysign(value, T{1});
    }
    std::ranges::sort(values, [order](T a, T b) {
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
      if (order == SortOrder::descending) std::swap(a, b);
      return a < b || (a == b && std::signbit(a) && !std::signbit(b));
    });
  } else if (order == SortOrder::ascending) {
    std::ranges::sort(values);
  } else {
    std::ranges::sort(values, std::ranges::greater());
  }
}
template void sort_reference<std::int32_t>(std::span<std::int32_t>, SortOrder);
template void sort_reference<float>(std::span<float>, SortOrder);
template void sort_reference<double>(std::span<double>, SortOrder);

}  // namespace bombard
