#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/host_memory.hpp"
#include "solvers/sort/sort_keys.hpp"
#include "tools/study/measure.hpp"
#include "tools/study/on_device.hpp"
#include "tools/study/studies.hpp"

namespace bombard::tools {

namespace {

void sorts(StudyFindings& findings, const StudyRequest& request, std::int64_t count) {
  // The values, the expected and the sorted ones, their keys and what merging these takes.
  require_host_memory(5 * 4 * count, fmt::format("the study of sorting {} values", count));
  const auto values = study_values<std::int32_t>(count, 1);
  auto expected = values;
  WallTimer timer;
  std::ranges::sort(expected);
  const double loop = timer.seconds();
  auto sorted = expected;
  const auto add = [&](const std::string& method, double seconds) {
    const bool valid = sorted == expected;
    findings.valid = findings.valid && valid;
    findings.table.add({count, method, 1e3 * seconds, 1e-6 * static_cast<double>(count) / seconds,
                        loop / seconds, std::string(valid ? "yes" : "NO")});
  };
  add("std::sort on one core", loop);
  if (request.cpu) {
    const double own = host_seconds([&] {
      sorted = values;
      cpu::sort<std::int32_t>(sorted, SortOrder::ascending);
    });
    add("bombard on all cores", own);
  }
  if (request.gpu) on_device<DeviceSortStudy>().sorts(values, sorted, add);
}

}  // namespace

StudyFindings study_sort(const StudyRequest& request) {
  StudyFindings findings{
      Table({"elements", "method", "milliseconds", "million/s", "speed-up", "valid"}), {}};
  const std::vector<std::int64_t> own{65536, 524288, 1 << 20, 1 << 24};
  for (const std::int64_t count : request.sizes.empty() ? own : request.sizes) {
    sorts(findings, request, count);
  }
  return findings;
}

}  // namespace bombard::tools
