#include "sim/engines/sparse/sparse_screening.hpp"

#include <algorithm>

namespace bombard {

SparseScreening::SparseScreening(cpu::SparseLayer& layer, const CellRange& own, double factor,
                                 double absolute, double most_shares)
    : Screening({own, {0, layer.cells()}, layer.cells()}, factor, absolute, layer.excess()),
      layer_(layer),
      most_shares_(most_shares) {
  for (const int side : {0, 1}) {
    const CellRange cells = group(side == 0 ? 0 : groups() - 1);
    highest_of_ends_[side] = 0;
    for (std::int64_t k = cells.begin; k < cells.end; ++k) {
      highest_of_ends_[side] = std::max(highest_of_ends_[side], value(k));
    }
  }
}

/// An end is the cells that storms have changed, and one more, which may be in a group, too: in
/// those behind it the layer is convex.
CellRange SparseScreening::group(std::int64_t group) const {
  const std::int64_t cells = layer_.cells(), end = layer_.end_cells() + 1, last = layer_.groups();
  if (group == 0) return {0, last > 0 ? std::min(end, layer_.group(0).begin) : end};
  if (group <= last) return layer_.group(group - 1);
  return {last > 0 ? std::max(cells - end, layer_.group(last - 1).end) : cells - end, cells};
}

double SparseScreening::highest(std::int64_t group) const {
  const bool at_end = group == 0 || group > layer_.groups();
  return at_end ? highest_of_ends_[group == 0 ? 0 : 1] : layer_.highest(group - 1);
}

}  // namespace bombard
