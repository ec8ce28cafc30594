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

/// Storms as a rank has them, without their names. Called by all ranks together; `storms` are rank
/// 0's, `count` of them. Throw where a rank has no memory.

/// All impacts of all storms, on ranks other than 0; rank 0 gets nothing, it has them.
std::vector<Storm> broadcast_storms(Communicator& communicator, std::span<const Storm> storms,
                                    std::int64_t count);

/// All impacts of a storm.
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

/// Storms with the impacts that a rank needs, in file order.
struct StormsForSlab {
  std::vector<Storm> storms;
  std::vector<WholeStorm> whole;  ///< of each
};

/// Who gets what.
struct Sharing {
  std::int64_t cells;  ///< of the whole layer
  /// For each rank the positions that it needs: they begin and end the later, the larger the rank.
  std::vector<CellRange> needs;
  /// Whether all ranks get all impacts of a storm.
  std::function<bool(const StormExtent&)> for_all;
  int threads;  ///< of this rank
};

/// The impacts that this process has of a storm; several threads read them.
WholeStorm looked_at(std::span<const Impact> impacts, const Sharing& sharing);

/// `files`, rank 0's too, name for each storm the file that every rank reads its part of; no name
/// where rank 0 has the impacts. Throws InputError where a rank cannot read it.
StormsForSlab share_storms(Communicator& communicator, std::span<const Storm> storms,
                           std::span<const std::string> files, std::int64_t count,
                           const Sharing& sharing);

}  // namespace bombard
