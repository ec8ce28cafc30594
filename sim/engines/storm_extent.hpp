#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "inputs/storm.hpp"
#include "kernels/layer/every_share.hpp"
#include "kernels/layer/scaled_impact.hpp"

namespace bombard {

/// The impact as the kernels of the rule take it, for a layer of `total` cells.
inline ScaledImpact scaled(const Impact& impact, std::int64_t total) {
  return {impact.position, scaled_energy(impact.energy, total)};
}

/// Where a storm's impacts lie, and the weakest of them. Impacts without energy do not count.
struct StormExtent {
  std::int64_t impacts = 0;
  std::int64_t lowest = largest_position;
  std::int64_t highest = -largest_position;
  std::int64_t weakest = std::int64_t{1} << 31;  ///< the least |energy|
  bool negative = false;                         ///< whether an energy is
  friend bool operator==(const StormExtent&, const StormExtent&) = default;

  void add(const Impact& impact) {
    if (impact.energy == 0) return;
    ++impacts;
    lowest = std::min(lowest, impact.position);
    highest = std::max(highest, impact.position);
    weakest = std::min(weakest, std::abs(std::int64_t{impact.energy}));
    negative |= impact.energy < 0;
  }

  /// Impacts of the same storm, looked at by another thread.
  void add(const StormExtent& others) {
    impacts += others.impacts;
    lowest = std::min(lowest, others.lowest);
    highest = std::max(highest, others.highest);
    weakest = std::min(weakest, others.weakest);
    negative |= others.negative;
  }

  /// What the question "does every share count" needs to know of it.
  ImpactExtent scaled(std::int64_t total) const {
    return impacts == 0 ? ImpactExtent{}
                        : ImpactExtent{lowest, highest, scaled_energy(weakest, total)};
  }
};

/// Whether the rule adds every share of a storm in these cells of a layer of `total`. `found` is
/// the storm's extent.
template <class Law>
bool every_share_counts(const Storm& storm, const StormExtent& found, const CellRange& cells,
                        std::int64_t total, float smallest) {
  return every_share_counts<Law>(
      found.scaled(total), storm.impacts,
      [&](const Impact& impact) { return scaled(impact, total); }, cells, smallest);
}

}  // namespace bombard
