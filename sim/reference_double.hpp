#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engines/engine.hpp"

namespace bombard {

/// What double precision is validated against: every share of every impact in every cell, added up
/// and relaxed in long double, one thread. For N impacts on a cell it is off by about N times
/// 2^-64 of the sum of the shares' magnitudes.
class ReferenceInDouble {
 public:
  /// A layer of 0. Throws CannotRun without the memory, 64 bytes a cell.
  explicit ReferenceInDouble(std::int64_t cells);

  void apply(const Storm& storm);

  std::span<const long double> layer() const { return layer_; }
  /// The same sums over the shares' magnitudes: what an error in a cell is measured by.
  std::span<const long double> magnitudes() const { return magnitudes_; }

  /// The largest strict local maximum above 0, the smallest position among equals.
  Maximum maximum() const;

  /// Whether the answer is the maximum of a layer that lies within `tolerance` times the magnitudes
  /// of this one: its value is, it may be a peak, and no other cell is certainly a larger one.
  bool may_be_maximum(const Maximum& answer, double tolerance) const;

 private:
  long double slack(std::size_t cell, double tolerance) const {
    return tolerance * magnitudes_[cell];
  }

  std::vector<long double> layer_, magnitudes_, copy_;
  std::vector<long double> reciprocal_roots_;  ///< of 1, 2, ..., as many as there are cells
};

}  // namespace bombard
