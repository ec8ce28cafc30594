#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/layer/cell_deposit.hpp"
#include "kernels/layer/cell_range.hpp"
#include "sim/engines/storm_extent.hpp"

namespace bombard {

/// Writes impacts as so many deposits, their positions counted from cell `first`, and says where
/// the impacts lie, in one pass. Those without energy are written, too: they change nothing.
StormExtent write_deposits(std::span<const Impact> impacts, std::int64_t first, Impact* deposits);

/// Writes impacts as so many deposits on these cells, fewer than 2^32, numbered from the first on:
/// what falls on none of them is appended to `others`, its position counted from there, and a
/// deposit of nothing is written instead.
void write_cell_deposits(std::span<const Impact> impacts, const CellRange& cells,
                         CellDeposit* deposits, std::vector<Impact>& others);

}  // namespace bombard
