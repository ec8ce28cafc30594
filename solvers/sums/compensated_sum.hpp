#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace bombard {

/// What `total`, the rounded sum of numbers or vectors of numbers, lacks of sum + x (Knuth's
/// TwoSum: exact whichever is larger; no operation may be contracted). By value: see
/// kernels/base/vector.hpp. Written out in add_compensated() it keeps GCC 12 from vectorising
/// scalar products, which then take five times as long.
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
  /// A NaN is positive, as inf - inf alone is not on every CPU.
  BOMBARD_HOST_DEVICE double value() const {
    if (std::isnan(sum)) return NAN;
    // Nothing that is lost beside an infinity is a number.
    return std::isfinite(lost) ? sum + lost : sum;
  }
};

/// The sum of element(0) .. element(count - 1): element i goes to sum i mod 16, and these are added
/// in pairs: an order of our own, which no compiler and no instruction set changes, and with it the
/// digits. In the first-level cache, this takes three times as long as sums that lose digits, 1
/// cycle a float on a Xeon with AVX-512: 12.5 GB/s of floats a core, about what a core gets from
/// memory.
template <class Element>
[[gnu::always_inline]] inline CompensatedSum compensated_sum(std::int64_t count,
                                                             const Element& element) {
  constexpr int sums = 16;
  double sum[sums] = {};
  double lost[sums] = {};
  std::int64_t i = 0;
  for (; i + sums <= count; i += sums) {
    for (int k = 0; k < sums; ++k) add_compensated(sum[k], lost[k], element(i + k));
  }
  for (int k = 0; i < count; ++i, ++k) add_compensated(sum[k], lost[k], element(i));
  for (int half = sums / 2; half > 0; half /= 2) {
    for (int k = 0; k < half; ++k) {
      add_compensated(sum[k], lost[k], sum[k + half]);
      lost[k] += lost[k + half];
    }
  }
  return {sum[0], lost[0]};
}

}  // namespace bombard
