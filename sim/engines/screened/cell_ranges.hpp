#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// One cell more. Of cells in ascending order neighbours make one range.
inline void append(std::vector<CellRange>& ranges, std::int64_t cell) {
  if (!ranges.empty() && ranges.back().end == cell) {
    ++ranges.back().end;
  } else {
    ranges.push_back({cell, cell + 1});
  }
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
