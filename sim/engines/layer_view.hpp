#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bombard/simulation_observer.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// The values of these cells of a layer, in the order of the list.
std::vector<CellValue> values_at(std::span<const CellRange> cells, const LayerView& layer);

/// The `count` highest peaks of a layer, or all where there are fewer: cells above 0 that exceed
/// both their neighbours, the two ends left out. Highest first, of equal ones the smaller position
/// first; so the first one is the layer's maximum. NaN is no peak, and no cell beside it is one.
std::vector<CellValue> highest_peaks(const LayerView& layer, std::int64_t count);

}  // namespace bombard
