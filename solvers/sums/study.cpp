#include "solvers/study.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <numeric>

#include "kernels/base/host_memory.hpp"
#include "solvers/generation.hpp"
#include "solvers/minima/minima.hpp"
#include "solvers/minima/reference.hpp"
#include "solvers/sums/reduction.hpp"

namespace bombard {

namespace {

void sums(StudyFindings& findings, const StudyRequest& request, std::int64_t count) {
  const auto values = generate_values<float>(count, -1, 1, 1);
  double sizes = 0;
  for (const float value : values) sizes += std::abs(value);
  volatile double kept = 0;
  // In double, so that it can judge the others.
  const double loop =
      host_seconds([&] { kept = std::accumulate(values.begin(), values.end(), 0.0); });
  const double exact = kept;
  // A sum in float of a tree's depth of additions, or of a thread's run of them, is within a few
  // hundred units in the last place of the sum of magnitudes.
  const auto add = [&](const std::string& scheme, std::int64_t block, double seconds, double sum,
                       double single = unknown, double operations_per_access = unknown,
                       double occupancy = unknown) {
    const double error = std::abs(sum - exact) / sizes;
    const auto elements = static_cast<double>(count);
    findings.table.add({std::string("sum"), count, scheme, block, 1e6 * seconds, 1e6 * single,
                        1e-6 * (elements - 1) / seconds, 1e-9 * 4 * elements / seconds,
                        loop / seconds, operations_per_access, occupancy, error,
                        findings.checked(error <= 512 * 0x1p-24)});
  };
  add("loop on one core", 0, loop, exact);
  if (request.cpu) {
    const Eigen::Map<const Eigen::VectorXf> vector(values.data(), count);
    const double eigen = host_seconds([&] { kept = vector.sum(); });
    add("Eigen on one core", 0, eigen, kept);
    const double own = host_seconds([&] { kept = solve::sum<float>(values, Device::cpu); });
    add("bombard on all cores", 0, own, kept);
  }
  if (!request.gpu) return;
  for (const ReductionScheme& scheme : on_device<std::vector<ReductionScheme>>()) {
    KernelTiming timing{.single_calls = true};
    const SumByScheme found = scheme.sum(values, request.once ? nullptr : &timing);
    add(scheme.name, scheme.block, timing.seconds, found.sum, timing.single_seconds,
        found.operations_per_access, found.occupancy);
  }
}

/// The element-wise minimum of `count` / 9 matrices.
void minima(StudyFindings& findings, const StudyRequest& request, std::int64_t count) {
  const auto values = generate_values<std::int32_t>(count / 9 * 9, -(1 << 30), 1 << 30, 2);
  using Nine = std::array<std::int32_t, 9>;
  Nine expected;
  const double eigen = host_seconds([&] { expected = minima_reference<std::int32_t>(values); });
  const auto add = [&](const std::string& scheme, double seconds, double single,
                       const Nine& found) {
    const auto elements = static_cast<double>(values.size());
    findings.table.add({std::string("minima"), count / 9 * 9, scheme, std::int64_t{0},
                        1e6 * seconds, 1e6 * single, 1e-6 * elements / seconds,
                        1e-9 * 4 * elements / seconds, eigen / seconds, 1.0, unknown,
                        found == expected ? 0.0 : unknown, findings.checked(found == expected)});
  };
  add("Eigen on one core", eigen, unknown, expected);
  Nine found;
  if (request.cpu) {
    const double own = host_seconds([&] { found = solve::minima<std::int32_t>(values); });
    add("bombard on one core", own, unknown, found);
  }
  if (!request.gpu) return;
  found.fill(no_minimum<std::int32_t>);
  KernelTiming timing{.single_calls = true};
  on_device<DeviceMinima<std::int32_t>>().take(values, found, request.once ? nullptr : &timing);
  add("CUB", timing.seconds, timing.single_seconds, found);
}

}  // namespace

void measure_reductions(StudyFindings& findings, const StudyRequest& request, std::int64_t count) {
  require_host_memory(4 * count, fmt::format("the study of reducing {} elements", count));
  sums(findings, request, count);
  if (count >= 9) minima(findings, request, count);
}

}  // namespace bombard
