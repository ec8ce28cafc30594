#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inputs/storm.hpp"
#include "kernels/layer/deposit.hpp"
#include "sim/engines/storm_extent.hpp"

namespace bombard {

/// Writes impacts as so many deposits, their positions counted from cell `first`, and says where
/// the impacts lie, in one pass. Those without energy are written, too: they change nothing.
StormExtent write_deposits(std::span<const Impact> impacts, std::int64_t first, Deposit* deposits);

/// Writes impacts as so many deposits on `cells` cells, fewer than 2^32, from `first` on, by their
/// numbers: what falls on none of them is appended to `others`, positions counted from `first`, and
/// its place taken by a deposit of nothing.
void write_cell_deposits(std::span<const Impact> impacts, std::int64_t first, std::int64_t cells,
                         CellDeposit* deposits, std::vector<Deposit>& others);

}  // namespace bombard
