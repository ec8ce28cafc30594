#pragma once

#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace bombard {

/// How the uncertainties of cells grow in a storm; see (2) and (3) in docs/methods.md, The bound.
struct StormUncertainty {
  /// The energy of impact number i, counted from 0, may be off by (first - step * i) |energy|.
  double first, step;
  /// A cell of value f takes growth (uncertainty + |f|) before the storm and rounding |f| after its
  /// impacts.
  double growth, rounding;

  BOMBARD_HOST_DEVICE double of(std::int64_t impact, std::int32_t energy) const {
    const double magnitude = energy < 0 ? -static_cast<double>(energy) : energy;
    return (first - step * static_cast<double>(impact)) * magnitude;
  }
};

/// bound * bound_raise + least_bound in binary32 is certainly no smaller than a bound >= 0 that was
/// computed by a few operations in binary64: the conversion may lose 2^-24 of it, those operations
/// about 2^-53 each, and `least_bound` keeps it among the normal numbers, which end at 1.2e-38.
inline constexpr double bound_raise = 1 + 0x1p-21;
inline constexpr double least_bound = 1e-37;
BOMBARD_HOST_DEVICE inline float rounded_up(double bound) {
  return static_cast<float>(bound * bound_raise + least_bound);
}

}  // namespace bombard
