#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/convolution/sparse/sparse_layer.hpp"
#include "sim/engines/fast/screening.hpp"
#include "sim/engines/highest_peaks.hpp"

namespace bombard {

/// The screening of a layer that is not stored: the cells that may be the rule's maximum
/// (docs/methods.md, Sparse). It looks at the neighbourhoods of impacts and at the layer's ends.
/// Between them the exact layer is convex, so no more than two pieces of a gap, one at either end,
/// reach any given value: it walks inwards from both ends until the bound falls below that value.
class SparseScreening final : public Screening {
 public:
  /// As LayerScreening. The layer is not to change while this is in use.
  /// `most_shares`: SparseLayer::shares_added() when candidates() gives up.
  SparseScreening(cpu::SparseLayer& layer, double factor, double absolute, const CellRange& own,
                  double most_shares = std::numeric_limits<double>::infinity());

  double lower(std::int64_t cell) const override;
  double relative_bound(std::int64_t cell) const override;
  std::optional<std::int64_t> best_peak() const override;
  /// The `count` largest of what best_peak() is the largest of, or all; the largest first.
  std::vector<std::int64_t> best_peaks(std::size_t count) const;
  std::optional<std::vector<std::int64_t>> candidates(double least, double most,
                                                      std::size_t limit) const override;

  /// The number of cells that were looked at one by one.
  std::int64_t cells_seen() const { return cells_seen_; }

 private:
  class Search;

  std::int64_t groups() const override { return layer_.groups(); }
  double highest(std::int64_t group) const override { return upper_of(layer_.highest(group)); }
  double upper(std::int64_t cell) const;
  double upper_of(double value) const { return value + (factor_ * value + absolute_); }
  CellRange left_end() const;
  CellRange right_end() const;
  void look_for_peaks(const CellRange& cells, HighestPeaks& best) const;

  cpu::SparseLayer& layer_;
  double factor_, absolute_, most_shares_;
  CellRange own_;
  mutable std::int64_t cells_seen_ = 0;
};

}  // namespace bombard
