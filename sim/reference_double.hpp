#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engines/engine.hpp"

namespace bombard {

/// The reference of double precision: every share, of every impact in every cell, added up and
/// relaxed in long double, one thread. For N impacts on a cell it is off by about N times 2^-64 of
/// the sum of the shares' magnitudes.
class ReferenceInDouble {
 public:
  static constexpr std::int64_t bytes_a_cell = 4 * sizeof(long double);

  /// A layer of 0.
  ReferenceInDouble(std::int64_t cells, const Rule& rule);

  void apply(const Storm& storm);

  std::span<const long double> layer() const { return layer_; }
  /// The same sums over the shares' magnitudes: errors in a cell are measured against them.
  std::span<const long double> magnitudes() const { return magnitudes_; }

  /// How far another layer's cell may be off: by `tolerance` times the magnitudes, or by what
  /// binary64 loses below its normal numbers (docs/roundings.md, Small states).
  long double slack(std::size_t cell, double tolerance) const {
    return tolerance * magnitudes_[cell] + least;
  }
  static constexpr long double least = 1e-280L;

  /// The largest strict local maximum above 0, the smallest position among equals.
  Maximum maximum() const;

  /// Whether the answer can be the maximum of a layer that lies within `tolerance` times the
  /// magnitudes of this one: its value lies within, it can be a peak, and no other cell is
  /// certainly a larger one.
  bool may_be_maximum(const Maximum& answer, double tolerance) const;

 private:
  long double attenuated(std::int64_t distance) const;

  Rule rule_;
  std::vector<long double> layer_, magnitudes_, copy_;
  std::vector<long double> attenuated_;  ///< at 1, 2, ..., for all cells
};

}  // namespace bombard
