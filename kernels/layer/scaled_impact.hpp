#pragma once

#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace bombard {

/// An impact as the kernels take it, with its energy scaled by the rule (EnergyScale).
struct ScaledImpact {
  std::int64_t position;  ///< cell index in the whole layer; may lie outside it
  float energy;
};

/// binary32 holds every integer up to here: such distances are exact and differ from one another.
inline constexpr std::int64_t largest_exact_distance = std::int64_t{1} << 24;

/// n = |p - k| + 1 as the rule's float, for any 64-bit p and k with |p| < 2^62.
BOMBARD_HOST_DEVICE inline float distance(std::int64_t position, std::int64_t cell) {
  const std::int64_t difference = position - cell;
  return static_cast<float>((difference < 0 ? -difference : difference) + 1);
}

/// Whether the rule adds this share.
BOMBARD_HOST_DEVICE inline bool counts(float share, float smallest) {
  return share >= smallest || share <= -smallest;
}

}  // namespace bombard
