#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bombard/layer.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// The values of a layer to show.
struct LayerQuestion {
  /// The values of these cells, in the order of the list.
  std::span<const CellRange> cells = {};
  /// The number of highest peaks, or of all peaks where there are fewer: cells above 0 that exceed
  /// both their neighbours, the two ends left out. Highest first, of equal ones the smaller
  /// position first; so the first one is the layer's maximum. NaN is no peak, and no cell beside it
  /// is one.
  std::int64_t peaks = 0;
};

struct LayerAnswer {
  std::vector<CellValue> cells, peaks;
};

/// The answer from a layer that is stored.
LayerAnswer answer(const LayerQuestion& question, const LayerView& layer);

}  // namespace bombard
