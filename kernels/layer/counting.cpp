#include "kernels/layer/counting.hpp"

#include <cmath>

namespace bombard::cpu {

double time_of_counting(double cells, double impacts, double power) {
  constexpr double units_of_sum = 0x1p23;
  constexpr double fewest_impacts = 1e4;         // with fewer, binades end too often
  constexpr double of_ends = 0.1, of_open = 10;  // shares of the time of an update
  if (impacts < fewest_impacts) return 1;
  // The sum of all shares in a cell is impacts / cells times 2 * the integral of n^-b.
  const double farthest = cells / 2 + 1;
  const double integral =
      power == 1 ? std::log(farthest) + 1 : (std::pow(farthest, 1 - power) - power) / (1 - power);
  const double energy = units_of_sum / (2 * impacts / cells * integral);
  const double block = CountingMemory::fewest_cells;
  const double nearest = std::pow(block * power * energy, 1 / (1 + power));
  return of_ends + of_open * 2 * (1 + 1 / power) * nearest / cells;
}

}  // namespace bombard::cpu
