#include "solvers/sort/sort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/solver_device.hpp"

namespace bombard::solve {

template <class T>
bool sort(std::span<T> values, bool descending, const Device& device, const std::string& kernel) {
  if (kernel != "bitonic" && kernel != "radix") {
    throw InputError(
        fmt::format("kernel \"{}\" does not sort; there are bitonic and radix", kernel));
  }
  const auto size = static_cast<double>(values.size());
  const SolverDevice solver(device, size * std::log2(size + 2) * 4e-9);
  const auto nans =
      std::partition(values.begin(), values.end(), [](T value) { return value == value; });
  const std::span<T> numbers(values.begin(), nans);
  if (solver.is_gpu()) {
    bombard::kernel<DeviceSort<T>>(kernel)(numbers, nullptr);
  } else {
    std::ranges::sort(numbers);
  }
  if (descending) std::ranges::reverse(numbers);
  return solver.is_gpu();
}
template bool sort<std::int32_t>(std::span<std::int32_t>, bool, const Device&, const std::string&);
template bool sort<float>(std::span<float>, bool, const Device&, const std::string&);
template bool sort<double>(std::span<double>, bool, const Device&, const std::string&);

}  // namespace bombard::solve
