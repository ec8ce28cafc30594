#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/rule.hpp"
#include "kernels/layer/scaled_impact.hpp"

namespace bombard {

/// The impact as the kernels of the rule take it.
template <class Law>
ScaledImpact scaled(const LayerRule<Law>& rule, const Impact& impact,
                    std::int32_t reach = ScaledImpact::any) {
  return {impact.position, rule.energy(impact.energy), reach};
}

/// The outermost positions of a storm's impacts, and the weakest impact. Impacts without energy do
/// not count.
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
};

StormExtent extent_of(std::span<const Impact> impacts);
/// The same, and copies the impacts in the same pass.
StormExtent copied(std::span<const Impact> impacts, Impact* copy);

/// Whether the rule adds every share of a storm of this extent in these cells: then no share needs
/// a test, and no reach has to be known. A share does not grow with the distance, each of its
/// roundings being monotone, so one share decides for all: the weakest energy at the farthest
/// distance. No is an answer of the weakest impact alone: it might not count everywhere if it lay
/// farthest away. (Where the answer is no, reach.hpp knows more.)
template <class Law>
bool every_share_counts(const LayerRule<Law>& rule, const StormExtent& storm,
                        const CellRange& cells) {
  if (storm.impacts == 0) return true;
  const float farthest =
      std::max(distance(storm.lowest, cells.end - 1), distance(storm.highest, cells.begin));
  return rule.adds(rule.energy(storm.weakest), farthest);
}

}  // namespace bombard
