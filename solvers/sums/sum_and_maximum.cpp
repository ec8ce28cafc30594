#include "bombard/solve.hpp"
#include "solvers/solver_device.hpp"
#include "solvers/sums/reduction.hpp"

namespace bombard::solve {

// One operation for each element: the way to a GPU alone takes longer than the reduction here.
template <class T>
Sum<T> sum(std::span<const T> values, const Device& device) {
  const SolverDevice solver(device, 0);
  return solver.is_gpu() ? on_device<DeviceReductions<T>>().sum(values) : cpu::sum(values);
}
template std::int64_t sum<std::int32_t>(std::span<const std::int32_t>, const Device&);
template double sum<float>(std::span<const float>, const Device&);
template double sum<double>(std::span<const double>, const Device&);

template <class T>
T maximum(std::span<const T> values, const Device& device) {
  const Device choice = device;
  if (values.empty()) throw InputError("there are no values, so there is no largest");
  const SolverDevice solver(choice, 0);
  return solver.is_gpu() ? on_device<DeviceReductions<T>>().maximum(values) : cpu::maximum(values);
}
template std::int32_t maximum<std::int32_t>(std::span<const std::int32_t>, const Device&);
template float maximum<float>(std::span<const float>, const Device&);
template double maximum<double>(std::span<const double>, const Device&);

}  // namespace bombard::solve
