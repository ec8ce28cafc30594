#include "solvers/study.hpp"

#include <fmt/format.h>

namespace bombard {

const std::vector<Study>& studies() {
  constexpr std::int64_t most_elements = std::int64_t{1} << 31;
  constexpr std::int64_t most_rows = std::int64_t{1} << 28;  // of square matrices
  static const std::vector<Study> all{
      {"reduction",
       most_elements,
       {"operation", "elements", "scheme", "block", "microseconds", "single call", "MFLOP/s",
        "GB/s", "speed-up", "operations/access", "occupancy", "error", "valid"},
       {32768, 65536, 131072, 262144, 1 << 20, 1 << 24, 1 << 28},
       measure_reductions},
      {"product",
       most_rows,
       {"n", "method", "block", "milliseconds", "GFLOP/s", "speed-up", "error/bound", "valid"},
       {256, 512, 1024, 3800, 4096},
       measure_products},
      {"dot",
       most_rows,
       {"n", "method", "block", "milliseconds", "GFLOP/s", "GB/s", "of copy", "speed-up", "error",
        "valid"},
       {256, 512, 4000, 10000},
       measure_dots},
      {"jacobi",
       most_rows,
       {"n", "method", "microseconds/sweep", "GB/s", "of copy", "speed-up", "error", "valid"},
       {256, 512, 2048, 8192},
       measure_jacobi},
      {"sort",
       most_elements,
       {"elements", "method", "milliseconds", "million/s", "speed-up", "valid"},
       {65536, 524288, 1 << 20, 1 << 24},
       measure_sorts}};
  return all;
}

StudyFindings Study::findings(const StudyRequest& request) const {
  StudyFindings found{Table(columns)};
  if (request.gpu && !request.once) {
    const DeviceLimits& limits = on_device<DeviceLimits>();
    found.copy_bandwidth = limits.copy_bandwidth();
    const KernelTiming empty = limits.empty_launch();
    found.notes = {
        fmt::format("device copy: {:.0f} GB/s", 1e-9 * found.copy_bandwidth),
        fmt::format("a kernel that does nothing: {:.2f} microseconds, {:.2f} as a single call",
                    1e6 * empty.seconds, 1e6 * empty.single_seconds)};
  }
  for (const std::int64_t size : request.sizes.empty() ? sizes : request.sizes) {
    measure(found, request, size);
  }
  return found;
}

}  // namespace bombard
