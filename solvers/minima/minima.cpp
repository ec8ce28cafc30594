#include "solvers/minima/minima.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "bombard/solve.hpp"
#include "inputs/matrix_set.hpp"
#include "kernels/base/cores.hpp"
#include "solvers/solver_device.hpp"

namespace bombard::solve {

template <class T>
std::array<T, 9> minima(std::span<const T> matrices) {
  if (matrices.empty() || matrices.size() % 9 != 0) {
    throw InputError(fmt::format(
        "{} values are not a set of 3 x 3 matrices; it has 9 for each, and one or more matrices",
        matrices.size()));
  }
  std::array<T, 9> least;
  least.fill(no_minimum<T>);
  take_minima(matrices, least);
  return least;
}
template std::array<std::int32_t, 9> minima<std::int32_t>(std::span<const std::int32_t>);
template std::array<float, 9> minima<float>(std::span<const float>);
template std::array<double, 9> minima<double>(std::span<const double>);

namespace {

/// Reduces a set as threads read it, part by part; on a GPU if the parts are worth a launch.
/// Returns the number of matrices.
template <class T>
std::int64_t reduce(const MatrixSet& set, int threads, const Device& device,
                    std::array<T, 9>& least) {
  constexpr std::size_t worth_a_launch = std::size_t{9} << 18;
  std::mutex one_at_a_time;
  std::vector<T> batch;
  const auto reduce_batch = [&] {
    cuda::use_device(device.index);  // each thread of the host has a current device of its own
    best_implementation<DeviceMinima<T>>()(batch, least, nullptr);
    batch.clear();
  };
  const auto take = [&](std::span<const T> elements) {
    if (device.kind == Device::cuda) {
      const std::lock_guard turn(one_at_a_time);
      batch.insert(batch.end(), elements.begin(), elements.end());
      if (batch.size() >= worth_a_launch) reduce_batch();
      return;
    }
    std::array<T, 9> of_part;
    of_part.fill(no_minimum<T>);
    take_minima(elements, of_part);
    const std::lock_guard turn(one_at_a_time);
    take_minima<T>(of_part, least);
  };
  const std::int64_t matrices = set.read<T>(threads, take);
  if (device.kind == Device::cuda) reduce_batch();
  return matrices;
}

}  // namespace

MatrixSetMinima minima_of_file(const std::string& path, const Device& device, int threads) {
  const MappedFile file(path, MatrixSet::look);
  const MatrixSet set(file);
  if (threads == 0) threads = default_threads();
  return std::visit(
      [&]<class T>(T zero) {
        std::array<T, 9> least;
        least.fill(no_minimum<T>);
        MatrixSetMinima result;
        result.element = zero;
        const SolverDevice solver(device, 0);
        result.matrices = reduce(set, threads, device, least);
        std::ranges::copy(least, result.values.begin());
        return result;
      },
      set.element());
}

}  // namespace bombard::solve
