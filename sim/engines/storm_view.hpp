#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/rule.hpp"

namespace bombard {

/// The facts about a storm that engines ask for.
struct StormExtent {
  std::int64_t impacts = 0;                                             ///< those with energy
  std::int64_t lowest = largest_position, highest = -largest_position;  ///< positions of all
  std::int64_t weakest = std::int64_t{1} << 31;  ///< the least |energy| of those with energy
  bool negative = false;                         ///< whether an energy is
  friend bool operator==(const StormExtent&, const StormExtent&) = default;

  /// The extent together with other impacts of the same storm, or of another one.
  StormExtent operator+(const StormExtent& others) const {
    return {impacts + others.impacts, std::min(lowest, others.lowest),
            std::max(highest, others.highest), std::min(weakest, others.weakest),
            negative || others.negative};
  }
};

/// Reads the impacts once, by up to `threads` threads.
StormExtent extent_of(std::span<const Impact> impacts, int threads = 1);

/// Whether the rule adds every share of a storm of this extent in these cells: then no share needs
/// a test. A share does not grow with the distance, each of its roundings being monotone, so one
/// share decides for all: the weakest energy at the farthest distance. A no concerns the weakest
/// impact alone: it might count everywhere if it does not lie farthest away.
bool every_share_counts(const LayerRule& rule, const StormExtent& storm, const CellRange& cells);

/// A storm on its way from its file to an engine: impacts in file order, in the caller's memory for
/// the time of a call, and the extent, found once.
struct StormView {
  std::span<const Impact> impacts;
  StormExtent extent = extent_of(impacts);
};

/// The same, with its impacts.
struct KeptStorm {
  std::vector<Impact> impacts;
  StormExtent extent = extent_of(impacts);

  StormView view() const { return {impacts, extent}; }
};

}  // namespace bombard
