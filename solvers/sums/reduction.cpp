#include "solvers/sums/reduction.hpp"

#include <numeric>
#include <vector>

#include "solvers/in_runs.hpp"
#include "solvers/matrices.hpp"
#include "solvers/solver_device.hpp"
#include "solvers/sums/smaller.hpp"

namespace bombard::solve {

namespace {

template <class T>
Sum<T> sum_of(std::span<const T> values) {
  Sum<T> sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i];
  return sum;
}

/// reduce(run) for runs of values, in order: the number of threads does not change the answer.
template <class T, class Reduce>
auto of_runs(std::span<const T> values, const Reduce& reduce) {
  constexpr std::int64_t run = std::int64_t{1} << 16;
  const std::int64_t size = std::ssize(values);
  std::vector<decltype(reduce(values))> results(static_cast<std::size_t>((size + run - 1) / run));
  in_runs(size, run, size, [&](std::int64_t first, std::int64_t end) {
    results[static_cast<std::size_t>(first / run)] = reduce(values.subspan(first, end - first));
  });
  return results;
}

}  // namespace

// One operation for each element: the transfer to a GPU alone takes longer than the reduction here.
template <class T>
Sum<T> sum(std::span<const T> values, const Device& device) {
  const SolverDevice solver(device, 0);
  if (solver.is_gpu()) return kernel<DeviceSum<T>>()(values, nullptr);
  const auto sums = of_runs(values, sum_of<T>);
  return std::accumulate(sums.begin(), sums.end(), Sum<T>{0});
}
template std::int64_t sum<std::int32_t>(std::span<const std::int32_t>, const Device&);
template double sum<float>(std::span<const float>, const Device&);
template double sum<double>(std::span<const double>, const Device&);

template <class T>
T maximum(std::span<const T> values, const Device& device) {
  const SolverDevice solver(device, 0);
  if (values.empty()) throw InputError("there are no values, so there is no largest");
  if (solver.is_gpu()) return kernel<DeviceCombined<T, Larger>>()(values, nullptr);
  const auto largest = of_runs(values, [](std::span<const T> run) {
    return in_eigen(run).template maxCoeff<Eigen::PropagateNaN>();
  });
  return std::accumulate(largest.begin(), largest.end(), largest.front(), Larger());
}
template std::int32_t maximum<std::int32_t>(std::span<const std::int32_t>, const Device&);
template float maximum<float>(std::span<const float>, const Device&);
template double maximum<double>(std::span<const double>, const Device&);

}  // namespace bombard::solve
