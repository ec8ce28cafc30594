#pragma once

#include <cstdint>
#include <vector>

#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// One cell more. Of cells in ascending order neighbours make one range.
void append(std::vector<CellRange>& ranges, std::int64_t cell);

/// Ranges, ascending by their first cells, each widened by `cells` cells in a layer of `total`;
/// those that then touch become one.
std::vector<CellRange> widened(const std::vector<CellRange>& ranges, std::int64_t cells,
                               std::int64_t total);

}  // namespace bombard
