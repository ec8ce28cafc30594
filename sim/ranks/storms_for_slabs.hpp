#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/layer/cell_range.hpp"
#include "sim/engines/storm_extent.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

/// Storms as a rank has them, without their names. Called by all ranks together; `storms` are rank
/// 0's, `count` of them. Throw where a rank has no memory, see do_together().

/// All impacts of all storms, on ranks other than 0; rank 0 gets nothing, it has them.
std::vector<Storm> broadcast_storms(Communicator& communicator, std::span<const Storm> storms,
                                    std::int64_t count);

/// A storm of which a rank has the impacts that it needs, in file order.
struct StormForSlab {
  Storm storm;
  StormExtent whole;  ///< all of its impacts
};

/// Who gets what.
struct Sharing {
  /// For each rank the positions that it needs: they begin and end the later, the larger the rank.
  std::vector<CellRange> needs;
  /// Whether all ranks get all impacts of a storm.
  std::function<bool(const StormExtent&)> for_all;
  int threads;  ///< of rank 0
};

std::vector<StormForSlab> share_storms(Communicator& communicator, std::span<const Storm> storms,
                                       std::int64_t count, const Sharing& sharing);

}  // namespace bombard
