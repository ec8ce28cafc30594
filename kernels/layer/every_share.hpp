#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/rule.hpp"

/// Does the rule add every share that some impacts have in some cells? Then no share needs a test,
/// and nobody has to know how far each reaches. A share does not grow with the distance, each of
/// its roundings being monotone, so one share decides for all: the weakest energy at the farthest
/// distance. (Where the answer is no, reach.hpp knows more.)
namespace bombard {

/// What decides it for several impacts together. Impacts without energy do not count: their shares
/// are 0, added or not. Without any impact every share counts.
struct ImpactExtent {
  static constexpr std::int64_t beyond_all_positions = std::int64_t{1} << 61;

  std::int64_t lowest = beyond_all_positions;
  std::int64_t highest = -beyond_all_positions;
  float weakest = std::numeric_limits<float>::infinity();  ///< the least |energy|, scaled
};

inline ImpactExtent extent_of(std::span<const ScaledImpact> impacts) {
  ImpactExtent extent;
  for (const ScaledImpact& impact : impacts) {
    if (impact.energy == 0) continue;
    extent.lowest = std::min(extent.lowest, impact.position);
    extent.highest = std::max(extent.highest, impact.position);
    extent.weakest = std::min(extent.weakest, std::fabs(impact.energy));
  }
  return extent;
}

/// True: every share counts. False says so of a single impact; of several it only says that the
/// weakest of them would not count everywhere if it lay farthest away.
template <class Law>
bool every_share_counts(const LayerRule<Law>& rule, const ImpactExtent& impacts,
                        const CellRange& cells) {
  const float farthest =
      std::max(distance(impacts.lowest, cells.end - 1), distance(impacts.highest, cells.begin));
  return rule.adds(impacts.weakest, farthest);
}

}  // namespace bombard
