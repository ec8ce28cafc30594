#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "kernels/convolution/sparse/sparse_layer.hpp"
#include "sim/engines/screened/screening.hpp"

namespace bombard {

/// The screening of a layer that is not stored (docs/methods.md, Sparse). Its groups are the
/// neighbourhoods of impacts, and before and behind them the layer's ends.
class SparseScreening final : public GroupScreening {
 public:
  /// Peaks count among the cells `own`. The layer is not to change while this is in use.
  /// `costs_too_much`: whether candidates() gives up, with this number of cells left to look at.
  SparseScreening(
      cpu::SparseLayer& layer, const CellRange& own, double factor, double absolute,
      std::function<bool(std::int64_t)> costs_too_much = [](auto) { return false; })
      : GroupScreening({own, {0, layer.cells()}, layer.cells()}, factor, absolute, layer.excess()),
        layer_(layer),
        costs_too_much_(std::move(costs_too_much)) {
    for (const int side : {0, 1}) {
      const CellRange cells = group(side == 0 ? 0 : groups() - 1);
      for (std::int64_t k = cells.begin; k < cells.end; ++k) {
        highest_of_ends_[side] = std::max(highest_of_ends_[side], value(k));
      }
    }
  }

 private:
  double value(std::int64_t cell) const override { return layer_.value(cell); }
  std::int64_t groups() const override { return layer_.groups() + 2; }
  /// An end is the cells that storms have changed, and one more, which may be in a group, too: in
  /// those behind it the layer is convex.
  CellRange group(std::int64_t group) const override {
    const std::int64_t cells = layer_.cells(), end = layer_.end_cells() + 1;
    const std::int64_t last = layer_.groups();
    if (group == 0) return {0, last > 0 ? std::min(end, layer_.group(0).begin) : end};
    if (group <= last) return layer_.group(group - 1);
    return {last > 0 ? std::max(cells - end, layer_.group(last - 1).end) : cells - end, cells};
  }
  double highest(std::int64_t group) const override {
    const bool at_end = group == 0 || group > layer_.groups();
    return at_end ? highest_of_ends_[group == 0 ? 0 : 1] : layer_.highest(group - 1);
  }
  bool may_have_peaks(const CellRange& gap) const override { return layer_.shares_meet_in(gap); }
  bool costs_too_much(std::int64_t cells) const override { return costs_too_much_(cells); }

  cpu::SparseLayer& layer_;
  std::function<bool(std::int64_t)> costs_too_much_;
  double highest_of_ends_[2] = {0, 0};
};

}  // namespace bombard
