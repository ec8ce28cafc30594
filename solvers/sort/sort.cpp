#include <fmt/format.h>
#include <omp.h>

#include <cmath>

#include "bombard/solve.hpp"
#include "solvers/solver_device.hpp"
#include "solvers/sort/sort_keys.hpp"

namespace bombard::solve {

namespace {

SortKernel sort_kernel(const std::string& name) {
  if (name == "bitonic") return SortKernel::bitonic;
  if (name == "radix") return SortKernel::radix;
  throw InputError(fmt::format("--kernel \"{}\" does not sort; there are bitonic and radix", name));
}

}  // namespace

template <class T>
bool sort(std::span<T> values, const SortSettings& settings) {
  const SortKernel kernel = sort_kernel(settings.kernel);
  const auto size = static_cast<double>(values.size());
  const double comparisons = size * std::log2(size + 2);
  const SolverDevice device(settings.device, comparisons * 1.5e-9 / omp_get_max_threads());
  if (device.is_gpu()) {
    on_device<DeviceSort<T>>().sort(values, settings.order, kernel, nullptr);
  } else {
    cpu::sort(values, settings.order, settings.interrupt);
  }
  return device.is_gpu();
}
template bool sort<std::int32_t>(std::span<std::int32_t>, const SortSettings&);
template bool sort<float>(std::span<float>, const SortSettings&);
template bool sort<double>(std::span<double>, const SortSettings&);

}  // namespace bombard::solve
