#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/storm_tiles.hpp"

namespace bombard {

/// Storms that are applied to a few tiles in one go.
struct TileRound {
  std::size_t first_storm, storms;
  std::vector<CellTile> tiles;
  std::int64_t values;  ///< how many cells' values the tiles leave
};

/// How to compute by the rule, from a layer that is known, the cells that are wanted after each
/// storm and all cells on which they depend (docs/methods.md, Screen and confirm): round after
/// round, each from the values that the one before leaves. wanted[i] are ranges after storm i,
/// ascending; a cell in the middle of three wanted ones has its neighbours in its tile. Ends where
/// nothing more is wanted. Wide tiles compute fewer cells twice, narrow ones are done sooner: the
/// best for a device that takes `at_once` tiles at a time.
std::vector<TileRound> plan_tiles(std::vector<std::vector<CellRange>> wanted, std::int64_t total,
                                  std::int64_t at_once);

/// Interactions that the rounds compute when storm i ends at ends[i] among all impacts.
double interactions(std::span<const TileRound> rounds, std::span<const std::int64_t> ends);

}  // namespace bombard
