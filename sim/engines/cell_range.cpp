#include "sim/engines/cell_range.hpp"

#include <algorithm>

namespace bombard {

std::vector<CellRange> wider(const std::vector<CellRange>& ranges, std::int64_t cells,
                             std::int64_t total) {
  std::vector<CellRange> result;
  for (const CellRange& range : ranges) {
    const CellRange wide{std::max<std::int64_t>(range.first - cells, 0),
                         std::min(range.last + cells, total - 1)};
    if (!result.empty() && wide.first <= result.back().last + 1) {
      result.back().last = std::max(result.back().last, wide.last);
    } else {
      result.push_back(wide);
    }
  }
  return result;
}

}  // namespace bombard
