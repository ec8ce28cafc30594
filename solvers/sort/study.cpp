#include "solvers/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/host_memory.hpp"
#include "solvers/generation.hpp"
#include "solvers/sort/sort.hpp"

namespace bombard {

void measure_sorts(Findings& findings, std::int64_t count) {
  // The values, the expected and the sorted ones.
  require_host_memory(3 * 4 * count, fmt::format("the study of sorting {} values", count));
  using Values = std::vector<std::int32_t>;
  const Values values = generate_values<std::int32_t>(count, -(1 << 30), 1 << 30, 1);
  Ways<Values> ways{findings, "sort", count, static_cast<double>(count)};
  ways.on_cpu("std::sort on one core", [&](Values& sorted) {
    sorted = values;
    std::ranges::sort(sorted);
  });
  ways.on_gpu<DeviceSort<std::int32_t>>(
      [](auto run, Values& sorted, double* seconds) { run(sorted, seconds); });
  ways.compare(values, [](const Values& sorted, const Values& expected) {
    return sorted == expected ? 0 : unknown;
  });
}

}  // namespace bombard
