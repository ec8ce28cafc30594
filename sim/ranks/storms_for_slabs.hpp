#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/layer/cell_range.hpp"
#include "sim/engines/storm_view.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

/// The facts about all impacts of a storm.
struct WholeStorm {
  StormExtent extent;
  std::int64_t impacts = 0;  ///< including those without energy
  std::int64_t outside = 0;  ///< of the layer
  friend bool operator==(const WholeStorm&, const WholeStorm&) = default;
};
/// Found by up to `threads` threads.
WholeStorm whole_storm(const Storm& storm, std::int64_t cells, int threads);

inline constexpr CellRange all_positions{std::numeric_limits<std::int64_t>::min(),
                                         std::numeric_limits<std::int64_t>::max()};

/// Called by all ranks together: of the `count` impacts that rank 0 has of a storm, those at these
/// positions, in file order; each rank has a range of its own. All impacts come to every rank, in
/// pieces, but only those that the rank keeps take memory. Throws CannotRun if there is too little.
std::vector<Impact> impacts_of_slab(Communicator& communicator, std::span<const Impact> of_rank_0,
                                    std::int64_t count, const CellRange& positions);

}  // namespace bombard
