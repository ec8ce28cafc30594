#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/storm_tiles.hpp"

namespace bombard {

/// The tiles of the cones of some cells (docs/methods.md, Screen and confirm): what has to be
/// computed by the rule, from a layer of 0, to know them after `storms` storms. That takes a round
/// for each storm, and one that only relaxes. Ranges are ascending and do not touch; so are tiles.
/// They have as few cells as keep `at_once` of them at work.
std::vector<CellTile> plan_tiles(const std::vector<CellRange>& wanted, std::size_t storms,
                                 std::int64_t total, std::int64_t at_once);

/// The number of their values, with one more on both sides.
std::int64_t values_of(std::span<const CellTile> tiles);

/// Interactions of the tiles when storm i ends at ends[i] among all impacts.
double interactions(std::span<const CellTile> tiles, std::span<const std::int64_t> ends);

/// Where the value of a cell is that is in one of the tiles.
std::int64_t value_of(std::int64_t cell, std::span<const CellTile> tiles);

}  // namespace bombard
