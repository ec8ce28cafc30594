#include "solvers/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/host_memory.hpp"
#include "solvers/generation.hpp"
#include "solvers/sort/sort.hpp"

namespace bombard {

void measure_sorts(StudyFindings& findings, const StudyRequest& request, std::int64_t count) {
  // The values, the expected and the sorted ones, their keys and what merging these takes.
  require_host_memory(5 * 4 * count, fmt::format("the study of sorting {} values", count));
  const auto values = generate_values<std::int32_t>(count, -(1 << 30), 1 << 30, 1);
  auto expected = values;
  WallTimer timer;
  std::ranges::sort(expected);
  const double loop = timer.seconds();
  auto sorted = expected;
  const auto add = [&](const std::string& method, double seconds) {
    findings.table.add({count, method, 1e3 * seconds, 1e-6 * static_cast<double>(count) / seconds,
                        loop / seconds, findings.checked(sorted == expected)});
  };
  add("std::sort on one core", loop);
  if (request.cpu) {
    const double own = host_seconds([&] {
      sorted = values;
      solve::sort<std::int32_t>(sorted, {.device = Device::cpu});
    });
    add("bombard on all cores", own);
  }
  if (!request.gpu) return;
  for (const SortKernel kernel : {SortKernel::bitonic, SortKernel::radix}) {
    sorted = values;
    KernelTiming timing;
    on_device<DeviceSort<std::int32_t>>().sort(sorted, kernel, &timing);
    add(kernel == SortKernel::bitonic ? "bitonic" : "CUB radix", timing.seconds);
  }
}

}  // namespace bombard
