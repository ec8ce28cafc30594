#include "solvers/study.hpp"

#include <fmt/format.h>

namespace bombard {

void add_row(StudyFindings& findings, const StudiedOperation& operation, const std::string& method,
             std::int64_t block, const KernelFigures& figures, double first_seconds, double error) {
  const bool valid = error <= 1;
  findings.valid = findings.valid && valid;
  const auto times = static_cast<double>(operation.repeated);
  const double seconds = figures.seconds / times;
  const double bandwidth = operation.bytes / seconds;
  findings.table.add({operation.name, operation.size, method,
                      block == 0 ? Table::Cell(unknown) : Table::Cell(block), 1e6 * seconds,
                      1e6 * figures.single_seconds / times, 1e-9 * operation.operations / seconds,
                      1e-9 * bandwidth, bandwidth / findings.copy_bandwidth,
                      first_seconds / figures.seconds, figures.operations_per_access,
                      figures.occupancy, error, std::string(valid ? "yes" : "NO")});
}

const std::vector<Study>& studies() {
  constexpr std::int64_t most_elements = std::int64_t{1} << 31;
  constexpr std::int64_t most_rows = std::int64_t{1} << 28;  // of square matrices
  static const std::vector<Study> all{
      {"reduction",
       most_elements,
       {32768, 65536, 131072, 262144, 1 << 20, 1 << 24, 1 << 28},
       measure_reductions},
      {"product", most_rows, {256, 512, 1024, 3800, 4096}, measure_products},
      {"dot", most_rows, {256, 512, 4000, 10000}, measure_dots},
      {"jacobi", most_rows, {256, 512, 2048, 8192}, measure_jacobi},
      {"sort", most_elements, {65536, 524288, 1 << 20, 1 << 24}, measure_sorts}};
  return all;
}

StudyFindings Study::findings(const StudyRequest& request) const {
  StudyFindings found{request, Table({"operation", "size", "method", "block", "microseconds",
                                      "single call", "Gop/s", "GB/s", "of copy", "speed-up",
                                      "operations/access", "occupancy", "error/bound", "valid"})};
  if (request.gpu && !request.once) {
    const DeviceLimits& limits = on_device<DeviceLimits>();
    found.copy_bandwidth = limits.copy_bandwidth();
    const KernelFigures empty = limits.empty_launch();
    found.notes = {
        fmt::format("device copy: {:.0f} GB/s", 1e-9 * found.copy_bandwidth),
        fmt::format("a kernel that does nothing: {:.2f} microseconds, {:.2f} as a single call",
                    1e6 * empty.seconds, 1e6 * empty.single_seconds)};
  }
  for (const std::int64_t size : request.sizes.empty() ? sizes : request.sizes) {
    measure(found, size);
  }
  return found;
}

}  // namespace bombard
