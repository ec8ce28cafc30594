#pragma once

#include <cstdint>
#include <vector>

#include "bombard/simulation_observer.hpp"

namespace bombard {

/// The `count` highest peaks of a layer, or all where there are fewer: cells above 0 that exceed
/// both their neighbours, the two ends left out. Highest first, of equal ones the smaller position
/// first; so the first one is the layer's maximum. NaN is no peak, and no cell beside it is one.
std::vector<CellValue> highest_peaks(const LayerView& layer, std::int64_t count);

}  // namespace bombard
