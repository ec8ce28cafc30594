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
  /// The tiles leave the values of these cells, range by range. The outermost cells of a range are
  /// no longer known, one for each storm, unless the layer ends there.
  std::vector<CellRange> ranges;
  std::int64_t values;
};

/// The number of a cell's value among the values of ascending ranges. The cell is in one range.
std::int64_t number_of(std::span<const CellRange> ranges, std::int64_t cell);

/// How to compute by the rule, from a layer that is known, the wanted cells after `storms` storms
/// and all cells on which they depend (docs/methods.md, Screen and confirm): round after round,
/// each from the values that the one before leaves. Ranges are ascending and do not touch. Wide
/// tiles compute fewer cells twice, narrow ones are done sooner: their width is the best for a
/// device that takes `at_once` tiles at a time.
std::vector<TileRound> plan_tiles(const std::vector<CellRange>& wanted, std::size_t storms,
                                  std::int64_t total, std::int64_t at_once);

/// Interactions that the rounds compute when storm i ends at ends[i] among all impacts.
double interactions(std::span<const TileRound> rounds, std::span<const std::int64_t> ends);

}  // namespace bombard
