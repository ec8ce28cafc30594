#include "solvers/minima/minima.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "bombard/solve.hpp"
#include "inputs/matrix_set.hpp"
#include "solvers/solver_device.hpp"

namespace bombard::solve {

template <class T>
std::array<T, 9> minima(std::span<const T> matrices) {
  if (matrices.empty() || matrices.size() % 9 != 0) {
    throw InputError(
        fmt::format("{} values are no set of 3 x 3 matrices; it has 9 for each, and one matrix or "
                    "more",
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

/// Each thread keeps its own until all are read.
template <class T>
std::int64_t minima_on_cpu(const MatrixSet& set, int threads, std::array<T, 9>& least) {
  std::vector<std::array<T, 9>> of_thread(static_cast<std::size_t>(threads), least);
  const std::int64_t matrices = set.read<T>(threads, [&](int thread, std::span<const T> elements) {
    std::array<T, 9> mine = of_thread[static_cast<std::size_t>(thread)];
    take_minima(elements, mine);
    of_thread[static_cast<std::size_t>(thread)] = mine;
  });
  for (const auto& one : of_thread) take_minima<T>(one, least);
  return matrices;
}

/// Each thread keeps its matrices until they are worth a launch.
template <class T>
std::int64_t minima_on_gpu(const MatrixSet& set, int threads, int device, std::array<T, 9>& least) {
  constexpr std::size_t worth_a_launch = std::size_t{9} << 18;
  std::vector<std::vector<T>> batches(static_cast<std::size_t>(threads));
  std::mutex launching;
  const auto take = [&](std::vector<T>& batch) {
    const std::lock_guard lock(launching);
    cuda::use_device(device);  // each thread of the host has a current device of its own
    on_device<DeviceMinima<T>>().take(batch, least, nullptr);
    batch.clear();
  };
  const std::int64_t matrices = set.read<T>(threads, [&](int thread, std::span<const T> elements) {
    std::vector<T>& batch = batches[static_cast<std::size_t>(thread)];
    batch.insert(batch.end(), elements.begin(), elements.end());
    if (batch.size() >= worth_a_launch) take(batch);
  });
  std::ranges::for_each(batches, take);
  return matrices;
}

}  // namespace

MatrixSetMinima minima_of_file(const std::string& path, const Device& device, int threads) {
  const MappedFile file(path, MatrixSet::look);
  const MatrixSet set(file);
  if (threads == 0) threads = omp_get_max_threads();
  return std::visit(
      [&]<class T>(T zero) {
        std::array<T, 9> least;
        least.fill(no_minimum<T>);
        MatrixSetMinima result;
        result.element = zero;
        if (device.kind == Device::cuda) {
          const SolverDevice gpu(device, 0);
          result.matrices = minima_on_gpu(set, threads, device.index, least);
        } else {
          result.matrices = minima_on_cpu(set, threads, least);
        }
        std::ranges::copy(least, result.values.begin());
        return result;
      },
      set.element());
}

}  // namespace bombard::solve
