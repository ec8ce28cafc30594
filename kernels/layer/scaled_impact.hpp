#pragma once

#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace bombard {

/// An impact as the kernels take it: the energy already scaled to the layer, e = v * 1000 / L.
struct ScaledImpact {
  std::int64_t position;  ///< cell index in the whole layer; may lie outside it
  float energy;
};

/// e = ((float)v * 1000) / (float)L, v in thousands, each operation rounded: the rule's first two
/// steps.
template <class Integer>
BOMBARD_HOST_DEVICE float scaled_energy(Integer energy_in_thousands, std::int64_t cells) {
  return static_cast<float>(energy_in_thousands) * 1000.0F / static_cast<float>(cells);
}

/// T / L, the smallest share that counts: the rule adds a share when share >= T/L or share <= -T/L.
inline float smallest_share(float threshold, std::int64_t cells) {
  return threshold / static_cast<float>(cells);
}

/// binary32 holds every integer up to here: such a distance is exact, and one more or less is seen.
inline constexpr std::int64_t largest_exact_distance = std::int64_t{1} << 24;

/// n = |p - k| + 1 as the rule's float, for any 64-bit p and k of |p| < 2^62.
BOMBARD_HOST_DEVICE inline float distance(std::int64_t position, std::int64_t cell) {
  const std::int64_t difference = position - cell;
  return static_cast<float>((difference < 0 ? -difference : difference) + 1);
}

/// Whether the rule adds this share.
BOMBARD_HOST_DEVICE inline bool counts(float share, float smallest) {
  return share >= smallest || share <= -smallest;
}

}  // namespace bombard
