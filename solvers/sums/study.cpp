#include "solvers/study.hpp"

#include <fmt/format.h>

#include <bit>
#include <numeric>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/generation.hpp"
#include "solvers/matrices.hpp"
#include "solvers/minima/minima.hpp"
#include "solvers/minima/reference.hpp"

namespace bombard {

namespace {

void sums(Findings& findings, std::int64_t count) {
  const auto values = generate_values<float>(count, -1, 1, 1);
  const auto vector = in_eigen<float>(values);
  const auto elements = static_cast<double>(count);
  Ways<double> ways{findings, "sum", count, elements - 1, 4 * elements};
  // In double, so that it can judge the others.
  ways.on_cpu("loop on one core",
              [&](double& sum) { sum = std::accumulate(values.begin(), values.end(), 0.0); });
  ways.on_cpu("Eigen on one core", [&](double& sum) { sum = vector.sum(); });
  ways.on_cpu("bombard on all cores",
              [&](double& sum) { sum = solve::sum<float>(values, Device::cpu); });
  ways.on_gpu<DeviceSum<float>>(
      [&](auto run, double& sum, double* seconds) { sum = run(values, seconds); });
  const double sizes = vector.cwiseAbs().sum();
  ways.compare(unknown, [=](double sum, double expected) {
    // A sum in float of a tree's depth of additions, or of a thread's run of them, is
    // within a few hundred units in the last place of the sum of magnitudes.
    return std::abs(sum - expected) / (512 * 0x1p-24 * sizes);
  });
}

/// The element-wise minimum of `count` / 9 matrices.
void minima(Findings& findings, std::int64_t count) {
  const auto values = generate_values<std::int32_t>(count / 9 * 9, -(1 << 30), 1 << 30, 2);
  using Nine = std::array<std::int32_t, 9>;
  const auto elements = static_cast<double>(values.size());
  Ways<Nine> ways{findings, "minima", std::ssize(values), elements, 4 * elements};
  ways.on_cpu("Eigen on one core",
              [&](Nine& least) { least = minima_reference<std::int32_t>(values); });
  ways.on_cpu("bombard on one core",
              [&](Nine& least) { least = solve::minima<std::int32_t>(values, Device::cpu); });
  ways.on_gpu<DeviceMinima<std::int32_t>>([&](auto run, Nine& least, double* seconds) {
    least = std::bit_cast<Nine>(run(matrices_of<std::int32_t>(values), seconds));
  });
  ways.compare(Nine{}, [](const Nine& found, const Nine& expected) {
    return found == expected ? 0 : unknown;
  });
}

}  // namespace

void measure_reductions(Findings& findings, std::int64_t count) {
  require_host_memory(4 * count, fmt::format("the study of reducing {} elements", count));
  sums(findings, count);
  if (count >= 9) minima(findings, count);
}

}  // namespace bombard
