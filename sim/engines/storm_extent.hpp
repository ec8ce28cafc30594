#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "inputs/storm.hpp"
#include "kernels/layer/scaled_impact.hpp"

namespace bombard {

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

  /// Whether the rule is known to add every share in the cells first .. first+cells-1 of a layer of
  /// `total`: the weakest energy at both outermost positions decides for all.
  template <class Law>
  bool every_share_counts(std::int64_t first, std::int64_t cells, std::int64_t total,
                          float smallest) const {
    if (impacts == 0) return true;
    const float energy = scaled_energy(weakest, total);
    return counts_everywhere<Law>({lowest, energy}, first, cells, smallest) &&
           counts_everywhere<Law>({highest, energy}, first, cells, smallest);
  }
};

}  // namespace bombard
