#include "solvers/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/host_memory.hpp"
#include "solvers/generation.hpp"
#include "solvers/sort/sort.hpp"

namespace bombard {

void measure_sorts(StudyFindings& findings, std::int64_t count) {
  // The values twice, the expected and the sorted ones, their keys twice.
  require_host_memory(6 * 4 * count, fmt::format("the study of sorting {} values", count));
  using Values = std::vector<std::int32_t>;
  const Values values = generate_values<std::int32_t>(count, -(1 << 30), 1 << 30, 1);
  Comparison<Values> compare(findings, {"sort", count, static_cast<double>(count)}, values,
                             [](const Values& sorted, const Values& expected, double) {
                               return sorted == expected ? 0 : unknown;
                             });
  compare.on_cpu("std::sort on one core", [&](Values& sorted) {
    sorted = values;
    std::ranges::sort(sorted);
  });
  compare.on_cpu("bombard on all cores", [&](Values& sorted) {
    sorted = values;
    solve::sort<std::int32_t>(sorted, {.device = Device::cpu});
  });
  compare.on_gpu<DeviceSort<std::int32_t>>(
      [](auto run, Values& sorted, KernelFigures* figures) { run(sorted, figures); });
}

}  // namespace bombard
