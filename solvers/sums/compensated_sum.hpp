#pragma once

#include <cmath>

#include "kernels/base/host_device.hpp"

namespace bombard {

/// What `total`, the rounded sum of numbers or vectors of numbers, lacks of sum + x (Knuth's
/// TwoSum: exact whichever is larger; no operation may be contracted). By value: see
/// kernels/base/vector.hpp.
template <class Number>
BOMBARD_HOST_DEVICE [[gnu::always_inline]] inline Number rounded_off(Number sum, Number x,
                                                                     Number total) {
  const Number added = total - sum;
  return (sum - (total - added)) + (x - added);
}

/// Adds x to a sum, and what the addition rounds off to `lost`.
BOMBARD_HOST_DEVICE [[gnu::always_inline]] inline void add_compensated(double& sum, double& lost,
                                                                       double x) {
  const double total = sum + x;
  lost += rounded_off(sum, x, total);
  sum = total;
}

/// A sum in double that keeps what its additions round off: as if it was computed with twice the
/// digits and rounded once (Ogita, Rump and Oishi, "Accurate Sum and Dot Product", 2005, Sum2). {}
/// is 0; without initialisers, since it also lies in the shared memory of blocks.
struct CompensatedSum {
  double sum;
  double lost;

  BOMBARD_HOST_DEVICE [[gnu::always_inline]] void add(double x) { add_compensated(sum, lost, x); }
  BOMBARD_HOST_DEVICE [[gnu::always_inline]] void add(const CompensatedSum& other) {
    add(other.sum);
    lost += other.lost;
  }
  /// A NaN is positive, as inf - inf alone is not on every processor.
  BOMBARD_HOST_DEVICE double value() const {
    if (std::isnan(sum)) return NAN;
    // Nothing that is lost beside an infinity is a number.
    return std::isfinite(lost) ? sum + lost : sum;
  }
};

}  // namespace bombard
