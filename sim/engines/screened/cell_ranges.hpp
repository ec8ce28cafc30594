#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// The number of cells in ranges; those of overlapping ranges are counted in each.
inline std::int64_t cells_in(const std::vector<CellRange>& ranges) {
  std::int64_t cells = 0;
  for (const CellRange& range : ranges) cells += range.count();
  return cells;
}

/// Ranges, ascending by their first cells, each widened by `cells` cells in a layer of `total`;
/// those that then touch become one.
inline std::vector<CellRange> widened(const std::vector<CellRange>& ranges, std::int64_t cells,
                                      std::int64_t total) {
  std::vector<CellRange> result;
  for (const CellRange& range : ranges) {
    const CellRange wide = range.widened(cells, total);
    if (!result.empty() && wide.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, wide.end);
    } else {
      result.push_back(wide);
    }
  }
  return result;
}

}  // namespace bombard
