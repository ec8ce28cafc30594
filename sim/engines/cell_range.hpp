#pragma once

#include <cstdint>
#include <vector>

namespace bombard {

/// Cells first .. last.
struct CellRange {
  std::int64_t first, last;
  std::int64_t count() const { return last - first + 1; }
  friend bool operator==(const CellRange&, const CellRange&) = default;
};

/// Ranges, ascending by their first cells, made wider by so many cells on both sides, except where
/// a layer of `total` cells ends; those that then touch become one.
std::vector<CellRange> wider(const std::vector<CellRange>& ranges, std::int64_t cells,
                             std::int64_t total);

}  // namespace bombard
