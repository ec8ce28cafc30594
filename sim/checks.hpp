#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bombard/settings.hpp"
#include "bombard/storm.hpp"
#include "kernels/layer/cell_range.hpp"

/// Checks of a caller's arguments. Each function throws InputError for an impossible value.
namespace bombard {

/// Checks settings for a layer of `cells` cells. Throws CannotRun for a layer that no memory can
/// hold.
void check(const SimulationSettings& settings, std::int64_t cells);

/// Refuses a position beyond largest_position.
void check_positions(std::span<const Impact> impacts);

/// Refuses a number of peaks below 0.
void check_peaks(std::int64_t peaks);

/// The cells as ranges, in their order: cells that follow one another in the layer become one
/// range. All must be in the layer.
std::vector<CellRange> ranges_of(std::span<const std::int64_t> list, std::int64_t cells);

}  // namespace bombard
