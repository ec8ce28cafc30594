#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "inputs/table.hpp"
#include "sim/validation.hpp"
#include "tools/cli/reports/report.hpp"

namespace bombard {

namespace {

std::string verdict(const Plan& plan, const std::vector<StormComparison>& compared) {
  const std::string storms = plural(std::ssize(compared), "storm");
  const auto disagreeing = std::ranges::count(compared, false, &StormComparison::agree);
  const bool in_double = plan.precision == Precision::binary64;
  double error = 0;
  bool layers = !compared.empty();
  for (const StormComparison& storm : compared) {
    layers = layers && storm.layer;
    if (storm.layer) error = std::max(error, storm.layer->largest_relative_error);
  }
  const std::string largest = fmt::format("the largest relative error of a cell is {:.2g}", error);
  if (disagreeing > 0) {
    return fmt::format("DIFFERENT after {} of {}{}", disagreeing, storms,
                       in_double ? "; " + largest : "");
  }
  if (in_double) {
    return fmt::format(
        "agreed: every maximum and every cell of the layer within {:g} of the shares' magnitudes, "
        "after {}; {}",
        tolerance_in_double, storms, largest);
  }
  return fmt::format("identical: every maximum{} after {}",
                     layers ? " and every bit of the layer" : "", storms);
}

}  // namespace

std::string validation_report(const Plan& plan, const std::vector<StormComparison>& storms) {
  const auto answer = [](const Maximum& maximum) {
    return fmt::format("{} {:f}", maximum.position, maximum.value);
  };
  Table rows(
      {"storm", "impacts", "position maximum", "reference", "differing cells", "agree", "file"});
  std::int64_t number = 0;
  for (const StormComparison& storm : storms) {
    rows.add({++number, storm.impacts, answer(storm.answer), answer(storm.reference),
              storm.layer ? Table::Cell(storm.layer->differing_cells) : "no layer",
              storm.agree() ? "yes" : "NO", printable(storm.file)});
  }
  return fmt::format(
      "{}; {} on {} against {}\n\n{}\n{}\n", plural(plan.cells, "cell"), plan.engine,
      printable(plan.device),
      plan.precision == Precision::binary32 ? "reference" : "all shares added in long double",
      rows.text(), verdict(plan, storms));
}

}  // namespace bombard
