#pragma once

#include <cstdint>
#include <limits>

#include "kernels/base/host_device.hpp"

namespace bombard {

/// An impact as the kernels take it, with its energy scaled by the rule (EnergyScale).
struct ScaledImpact {
  /// The reach of an impact whose shares may count at any distance.
  static constexpr std::int32_t any = std::numeric_limits<std::int32_t>::max();

  std::int64_t position;  ///< cell index in the whole layer; may lie outside it
  float energy;
  /// Shares at a distance n beyond the reach do not count, and all others do; `any`: nothing is
  /// known.
  std::int32_t reach = any;
};

/// Whether a share of an impact with this reach may count in any of `cells` cells; the impact lies
/// `offset` cells to the right of the first of them.
BOMBARD_HOST_DEVICE inline bool reaches_cells(std::int64_t reach, std::int64_t offset,
                                              std::int64_t cells) {
  const std::int64_t apart = offset < 0 ? -offset : offset >= cells ? offset - (cells - 1) : 0;
  return apart < reach;
}

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
