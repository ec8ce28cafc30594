#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bombard/settings.hpp"
#include "bombard/storm.hpp"
#include "kernels/layer/cell_range.hpp"

/// Checks of a caller's arguments. Each function throws InputError for a value that cannot be.
namespace bombard {

/// Checks settings for a layer of `cells` cells. Throws CannotRun for one that no memory holds.
void check(const SimulationSettings& settings, std::int64_t cells);

/// A position beyond largest_position.
void check_positions(std::span<const Impact> impacts);

/// A number of peaks below 0.
void check_peaks(std::int64_t peaks);

/// The cells as ranges where they stand one behind the other, in their order. All must be in the
/// layer.
std::vector<CellRange> ranges_of(std::span<const std::int64_t> list, std::int64_t cells);

}  // namespace bombard
