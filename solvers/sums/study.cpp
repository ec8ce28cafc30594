#include "solvers/study.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <numeric>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/generation.hpp"
#include "solvers/minima/minima.hpp"
#include "solvers/minima/reference.hpp"
#include "solvers/sums/reduction.hpp"

namespace bombard {

namespace {

void sums(StudyFindings& findings, std::int64_t count) {
  const auto values = generate_values<float>(count, -1, 1, 1);
  double sizes = 0;
  for (const float value : values) sizes += std::abs(value);
  const auto elements = static_cast<double>(count);
  Comparison<double> compare(findings, {"sum", count, elements - 1, 4 * elements}, unknown,
                             [=](double sum, double expected, double unit) {
                               // A sum in float of a tree's depth of additions, or of a thread's
                               // run of them, is within a few hundred units in the last place of
                               // the sum of magnitudes.
                               return std::abs(sum - expected) / (512 * unit * sizes);
                             });
  // In double, so that it can judge the others.
  compare.on_cpu("loop on one core", [&](volatile double& sum) {
    sum = std::accumulate(values.begin(), values.end(), 0.0);
  });
  const Eigen::Map<const Eigen::VectorXf> vector(values.data(), count);
  compare.on_cpu("Eigen on one core", [&](volatile double& sum) { sum = vector.sum(); });
  compare.on_cpu("bombard on all cores",
                 [&](volatile double& sum) { sum = solve::sum<float>(values, Device::cpu); });
  compare.on_gpu<DeviceSum<float>>(
      [&](auto run, double& sum, KernelFigures* figures) { sum = run(values, figures); });
}

/// The element-wise minimum of `count` / 9 matrices.
void minima(StudyFindings& findings, std::int64_t count) {
  const auto values = generate_values<std::int32_t>(count / 9 * 9, -(1 << 30), 1 << 30, 2);
  using Nine = std::array<std::int32_t, 9>;
  const auto elements = static_cast<double>(values.size());
  Comparison<Nine> compare(findings, {"minima", count / 9 * 9, elements, 4 * elements}, {},
                           [](const Nine& found, const Nine& expected, double) {
                             return found == expected ? 0 : unknown;
                           });
  compare.on_cpu("Eigen on one core",
                 [&](Nine& least) { least = minima_reference<std::int32_t>(values); });
  compare.on_cpu("bombard on one core",
                 [&](Nine& least) { least = solve::minima<std::int32_t>(values); });
  compare.on_gpu<DeviceMinima<std::int32_t>>([&](auto run, Nine& least, KernelFigures* figures) {
    least = std::bit_cast<Nine>(run(matrices_of<std::int32_t>(values), figures));
  });
}

}  // namespace

void measure_reductions(StudyFindings& findings, std::int64_t count) {
  require_host_memory(4 * count, fmt::format("the study of reducing {} elements", count));
  sums(findings, count);
  if (count >= 9) minima(findings, count);
}

}  // namespace bombard
