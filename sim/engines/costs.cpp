#include "sim/engines/costs.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/cores.hpp"
#include "kernels/base/vector.hpp"

namespace bombard {

ProcessorSpeed processor_speed(int threads) {
  // Relative to AVX-512 (docs/journal.md, Each as long as its registers). Passes are the same to
  // within a third, so machines differ in the time that is announced, and not in the engine that is
  // chosen.
  constexpr int most_of_passes = 6;  // threads that keep the memory busy
  const double of_thread = cpu::vector_bytes / 64.0;
  const int count = threads > 0 ? threads : default_threads();
  return {count * of_thread, std::min(count, most_of_passes) * of_thread, of_thread};
}

double time_of_counting(double cells, double impacts, double before, const CountingCosts& costs) {
  constexpr double units_of_sum = 0x1p23;
  if (impacts < costs.fewest_impacts) return 1;
  const double all = before + impacts;
  // The fraction of the growth from one impact to all of them that is this storm's.
  const double part = std::log2(all / std::max(before, 1.0)) / std::log2(all);
  const double by_rule = (costs.impacts_by_rule + costs.by_rule_of_root * std::sqrt(cells)) * part;
  if (impacts <= by_rule) return 1;
  // The sum of all shares in a cell is impacts / cells times twice the integral of n^(-1/2).
  const double integral = 2 * std::sqrt(cells / 2 + 1) - 1;
  const double energy = units_of_sum / (2 * all / cells * integral);
  // The mean of sum^(-2/3) in this storm, as a fraction of the mean from a sum of 0 to the same
  // end.
  const double growth = all / impacts * (1 - std::cbrt(before / all));
  const double nearest = std::cbrt(std::pow(16 * energy, 2)) * growth;
  return costs.of_ends + costs.of_open * 6 * nearest / cells + by_rule / impacts;
}

double time_of_counting(const StormView& storm, std::int64_t cells, double before,
                        const CountingCosts& costs) {
  const double time = time_of_counting(static_cast<double>(cells),
                                       static_cast<double>(storm.impacts.size()), before, costs);
  if (time >= 1) return 1;
  // Where energies of both signs cancel, sums do not stay in a binade.
  double sum = 0, magnitudes = 0;
  for (const Impact& impact : storm.impacts) {
    sum += impact.energy;
    magnitudes += std::abs(static_cast<double>(impact.energy));
  }
  return std::abs(sum) < magnitudes / 2 ? 1 : time;
}

}  // namespace bombard
