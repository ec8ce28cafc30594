#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/layer/cell_range.hpp"
#include "sim/engines/storm_view.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

/// The facts about all impacts of a storm.
struct WholeStorm {
  StormExtent extent;
  std::int64_t impacts = 0;  ///< those without energy, too
  std::int64_t outside = 0;  ///< of the layer
  friend bool operator==(const WholeStorm&, const WholeStorm&) = default;

  /// With others of its impacts.
  WholeStorm operator+(const WholeStorm& others) const {
    return {extent + others.extent, impacts + others.impacts, outside + others.outside};
  }
};

/// Who gets what.
struct Sharing {
  std::int64_t cells;  ///< of the whole layer
  /// For each rank the positions that it needs; empty: all ranks get all impacts from rank 0.
  std::vector<CellRange> needs;
  /// Whether all ranks get all impacts of a storm.
  std::function<bool(const StormExtent&)> for_all;
  int threads;  ///< of this rank
};

/// Called by all ranks together: each gets the impacts that it needs of `count` storms, in file
/// order and without the storms' names. `storms` are rank 0's, which receives none of its own where
/// all ranks get all. Returns the facts about each storm.
/// `files`, rank 0's too, name for each storm the file that every rank reads its part of; no name
/// where rank 0 has the impacts. Throws InputError where a rank cannot read it, and CannotRun where
/// a rank has no memory.
std::vector<WholeStorm> share_storms(Communicator& communicator, std::span<const Storm> storms,
                                     std::span<const std::string> files, std::int64_t count,
                                     const Sharing& sharing, std::vector<Storm>& received);

}  // namespace bombard
