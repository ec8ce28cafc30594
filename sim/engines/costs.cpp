#include "sim/engines/costs.hpp"

#include <algorithm>
#include <cmath>

namespace bombard {

double time_of_counting(double cells, double impacts, double before, const CountingCosts& costs) {
  constexpr double units_of_sum = 0x1p23;
  if (impacts < costs.fewest_impacts) return 1;
  const double all = before + impacts;
  // The part of the growth from one impact to all of them that is this storm's.
  const double part = std::log2(all / std::max(before, 1.0)) / std::log2(all);
  const double by_rule = (costs.impacts_by_rule + costs.by_rule_of_root * std::sqrt(cells)) * part;
  if (impacts <= by_rule) return 1;
  // The sum of all shares in a cell is impacts / cells times twice the integral of n^(-1/2).
  const double integral = 2 * std::sqrt(cells / 2 + 1) - 1;
  const double energy = units_of_sum / (2 * all / cells * integral);
  // The mean of sum^(-2/3) in this storm, as a part of the mean from a sum of 0 to the same end.
  const double growth = all / impacts * (1 - std::cbrt(before / all));
  const double nearest = std::cbrt(std::pow(16 * energy, 2)) * growth;
  const double of_cell = costs.of_ends + costs.of_open * 6 * nearest / cells + by_rule / impacts;
  return of_cell * std::max(1.0, costs.fewest_cells / cells);
}

}  // namespace bombard
