#pragma once

#include <cstdint>

#include "bombard/rule.hpp"
#include "kernels/base/host_device.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/share/attenuation.hpp"

/// Kernels use a Rule in the form of a LayerRule: for a layer of a certain size, and in the
/// binary32 numbers of its arithmetic. Kernels have to know the law when they are compiled:
/// with_law() (sim/engines/reaches.hpp) chooses it.
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

template <class Law>
struct LayerRule {
  Law law;
  EnergyScale energy;
  float smallest;  ///< Rule::smallest_share()

  BOMBARD_HOST_DEVICE float share(float scaled_energy, float n) const {
    return scaled_energy / law.divisor(n);
  }
  /// Whether the rule adds the share of an energy at distance n and the share is not 0.
  BOMBARD_HOST_DEVICE bool adds(float scaled_energy, float n) const {
    const float of_n = share(scaled_energy, n);
    return counts(of_n, smallest) && of_n != 0;
  }
};

}  // namespace bombard
