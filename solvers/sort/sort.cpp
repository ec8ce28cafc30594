#include "solvers/sort/sort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/solver_device.hpp"

namespace bombard::solve {

template <class T>
bool sort(std::span<T> values, const SortSettings& settings) {
  if (settings.kernel != "bitonic" && settings.kernel != "radix") {
    throw InputError(
        fmt::format("kernel \"{}\" does not sort; there are bitonic and radix", settings.kernel));
  }
  const auto size = static_cast<double>(values.size());
  const SolverDevice device(settings.device, size * std::log2(size + 2) * 4e-9);
  const auto nans =
      std::partition(values.begin(), values.end(), [](T value) { return value == value; });
  const std::span<T> numbers(values.begin(), nans);
  if (device.is_gpu()) {
    kernel<DeviceSort<T>>(settings.kernel)(numbers, nullptr);
  } else {
    std::ranges::sort(numbers);
  }
  if (settings.order == Order::descending) std::ranges::reverse(numbers);
  return device.is_gpu();
}
template bool sort<std::int32_t>(std::span<std::int32_t>, const SortSettings&);
template bool sort<float>(std::span<float>, const SortSettings&);
template bool sort<double>(std::span<double>, const SortSettings&);

}  // namespace bombard::solve
