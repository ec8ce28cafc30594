#pragma once

#include <cstdint>
#include <limits>

#include "kernels/convolution/sparse/sparse_layer.hpp"
#include "sim/engines/fast/screening.hpp"

namespace bombard {

/// The screening of a layer that is not stored (docs/methods.md, Sparse). Its groups are the
/// neighbourhoods of impacts, and before and behind them the layer's ends.
class SparseScreening final : public Screening {
 public:
  /// Peaks count among the cells `own`. The layer is not to change while this is in use.
  /// `most_shares`: SparseLayer::shares_added() when candidates() gives up.
  SparseScreening(cpu::SparseLayer& layer, const CellRange& own, double factor, double absolute,
                  double most_shares = std::numeric_limits<double>::infinity());

 private:
  double value(std::int64_t cell) const override { return layer_.value(cell); }
  std::int64_t groups() const override { return layer_.groups() + 2; }
  CellRange group(std::int64_t group) const override;
  double highest(std::int64_t group) const override;
  bool may_have_peaks(const CellRange& gap) const override { return layer_.shares_meet_in(gap); }
  bool took_too_long() const override {
    return static_cast<double>(layer_.shares_added()) > most_shares_;
  }

  cpu::SparseLayer& layer_;
  double most_shares_;
  double highest_of_ends_[2];
};

}  // namespace bombard
