#include "solvers/minima/minima.hpp"

#include <fmt/format.h>

#include <bit>
#include <numeric>

#include "bombard/solve.hpp"
#include "solvers/solver_device.hpp"

namespace bombard::solve {

template <class T>
std::array<T, 9> minima(std::span<const T> matrices, const Device& device) {
  if (matrices.empty() || matrices.size() % 9 != 0) {
    throw InputError(fmt::format(
        "{} values are not a set of 3 x 3 matrices; it has 9 for each, and one or more matrices",
        matrices.size()));
  }
  const std::span<const Matrix3x3<T>> all = matrices_of(matrices);
  const SolverDevice solver(device, 0);
  return std::bit_cast<std::array<T, 9>>(
      solver.is_gpu() ? kernel<DeviceMinima<T>>()(all, nullptr)
                      : std::accumulate(all.begin(), all.end(), all.front(), SmallerElements()));
}
template std::array<std::int32_t, 9> minima<std::int32_t>(std::span<const std::int32_t>,
                                                          const Device&);
template std::array<float, 9> minima<float>(std::span<const float>, const Device&);
template std::array<double, 9> minima<double>(std::span<const double>, const Device&);

}  // namespace bombard::solve
