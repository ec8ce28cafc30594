#pragma once

#include <cmath>
#include <cstdint>

#include "bombard/rule.hpp"
#include "bombard/storm.hpp"
#include "kernels/base/host_device.hpp"
#include "kernels/layer/scaled_impact.hpp"

namespace bombard {

/// (float)v * multiplier / divisor, each operation rounded: the energy of an impact.
struct EnergyScale {
  float multiplier, divisor;

  template <class Integer>
  BOMBARD_HOST_DEVICE float operator()(Integer energy_in_thousands) const {
    return static_cast<float>(energy_in_thousands) * multiplier / divisor;
  }
};

/// The energy scale for a layer of `cells` cells. In the first edition the multiplier is 1 and
/// changes nothing.
inline EnergyScale energy_scale(const Rule& rule, std::int64_t cells) {
  if (rule.edition == Edition::first) return {1, 1000};
  return {1000, static_cast<float>(cells)};
}

/// The impact as kernels take it.
inline ScaledImpact scaled(const EnergyScale& energy, const Impact& impact) {
  return {impact.position, energy(impact.energy)};
}

/// The rule as kernels take it: for a layer of a certain size, and in the binary32 numbers of its
/// arithmetic.
struct LayerRule {
  EnergyScale energy;
  float smallest;  ///< Rule::smallest_share()

  /// What a scaled energy adds at distance n. The IEEE 754 operations have the same bits on every
  /// device.
  [[gnu::always_inline]] BOMBARD_HOST_DEVICE float share(float scaled_energy, float n) const {
    return scaled_energy / std::sqrt(n);
  }
};

inline LayerRule layer_rule(const Rule& rule, std::int64_t cells) {
  return {energy_scale(rule, cells), rule.smallest_share(cells)};
}

}  // namespace bombard
