#include "kernels/layer/counting.hpp"

#include <cmath>

namespace bombard::cpu {

double time_of_counting(double cells, double impacts) {
  constexpr double units_of_sum = 0x1p23;
  constexpr double fewest_impacts = 1e4;         // with fewer, binades end too often
  constexpr double of_ends = 0.2, of_open = 11;  // parts of the time of an update
  if (impacts < fewest_impacts) return 1;
  // The sum of all shares in a cell is impacts / cells times twice the integral of n^(-1/2).
  const double integral = 2 * std::sqrt(cells / 2 + 1) - 1;
  const double energy = units_of_sum / (2 * impacts / cells * integral);
  constexpr double half_a_block = CountingMemory::fewest_cells / 2;
  const double nearest = std::cbrt(std::pow(half_a_block * energy, 2));
  return of_ends + of_open * 6 * nearest / cells;
}

}  // namespace bombard::cpu
