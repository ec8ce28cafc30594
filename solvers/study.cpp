#include "solvers/study.hpp"

namespace bombard {

void add_row(Findings& findings, const StudiedOperation& operation, const std::string& method,
             int block, double seconds, double first_seconds, double error) {
  const bool valid = error <= 1;
  findings.valid = findings.valid && valid;
  const double each = seconds / static_cast<double>(operation.repeated);
  const double bandwidth = operation.bytes / each;
  findings.table.add({operation.name, operation.size, method,
                      block == 0 ? Table::Cell(unknown) : Table::Cell(std::int64_t{block}),
                      1e6 * each, 1e-9 * operation.operations / each, 1e-9 * bandwidth,
                      bandwidth / findings.copy_bandwidth, first_seconds / seconds, error,
                      std::string(valid ? "yes" : "NO")});
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

}  // namespace bombard
