#include "solvers/minima/minima.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <numeric>
#include <vector>

#include "bombard/solve.hpp"
#include "inputs/matrix_set.hpp"
#include "kernels/base/cores.hpp"
#include "solvers/solver_device.hpp"

namespace bombard::solve {

namespace {

/// The minimum of one matrix or more.
template <class T>
Matrix3x3<T> least_of(std::span<const Matrix3x3<T>> matrices, const Device& device) {
  const SolverDevice solver(device, 0);  // each thread of the host has a current device of its own
  if (solver.is_gpu()) return best_implementation<DeviceMinima<T>>()(matrices, nullptr);
  return std::accumulate(matrices.begin(), matrices.end(), matrices.front(), SmallerElements());
}

}  // namespace

template <class T>
std::array<T, 9> minima(std::span<const T> matrices) {
  if (matrices.empty() || matrices.size() % 9 != 0) {
    throw InputError(fmt::format(
        "{} values are not a set of 3 x 3 matrices; it has 9 for each, and one or more matrices",
        matrices.size()));
  }
  return std::bit_cast<std::array<T, 9>>(least_of(matrices_of(matrices), Device::cpu));
}
template std::array<std::int32_t, 9> minima<std::int32_t>(std::span<const std::int32_t>);
template std::array<float, 9> minima<float>(std::span<const float>);
template std::array<double, 9> minima<double>(std::span<const double>);

namespace {

/// Reduces a set as threads read it, part by part on the CPU, many parts at a time on a GPU.
template <class T>
MatrixSetMinima reduce(const MatrixSet& set, int threads, const Device& device) {
  constexpr std::size_t worth_a_launch = std::size_t{1} << 18;
  std::mutex one_at_a_time;
  std::vector<Matrix3x3<T>> waiting;
  const auto take = [&](std::span<const T> elements) {
    std::span<const Matrix3x3<T>> part = matrices_of(elements);
    Matrix3x3<T> of_part;
    if (device.kind != Device::cuda) {
      of_part = least_of(part, device);
      part = {&of_part, 1};
    }
    const std::lock_guard turn(one_at_a_time);
    waiting.insert(waiting.end(), part.begin(), part.end());
    if (waiting.size() >= worth_a_launch) waiting = {least_of<T>(waiting, device)};
  };
  MatrixSetMinima result{.matrices = set.read<T>(threads, take), .element = T{}};
  std::ranges::copy(least_of<T>(waiting, device).elements, result.values.begin());
  return result;
}

}  // namespace

MatrixSetMinima minima_of_file(const std::string& path, const Device& device, int threads) {
  const InputFile file(path);
  const MatrixSet set(file);
  const SolverDevice solver(device, 0);
  if (threads == 0) threads = default_threads();
  return std::visit([&]<class T>(T) { return reduce<T>(set, threads, device); }, set.element());
}

}  // namespace bombard::solve
