#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>

#include "kernels/base/host_device.hpp"
#include "kernels/layer/attenuation.hpp"
#include "kernels/layer/scaled_impact.hpp"

/// The rule is a family (docs/methods.md): a Rule is a member of it as the command line names it, a
/// LayerRule the same for a layer of a certain size, in the binary32 numbers that its arithmetic
/// has. The law, what kernels have to know when they are compiled, is chosen in with_law().
namespace bombard {

/// The editions of the assignment. They differ in what an energy v, in thousands, comes to, and in
/// the threshold: v / 1000 and T in the first, v * 1000 / L and T / L in the second.
enum class Edition { first = 1, second = 2 };

/// (float)v * multiplier / divisor, each operation rounded: the energy of an impact.
struct EnergyScale {
  float multiplier, divisor;

  template <class Integer>
  BOMBARD_HOST_DEVICE float operator()(Integer energy_in_thousands) const {
    return static_cast<float>(energy_in_thousands) * multiplier / divisor;
  }
};

struct Rule {
  Edition edition = Edition::second;
  Attenuation attenuation = {};
  float threshold = 0.001F;  ///< T >= 0

  friend bool operator==(const Rule&, const Rule&) = default;

  /// For a layer of so many cells. In the first edition the multiplier changes nothing.
  EnergyScale energy_scale(std::int64_t cells) const {
    if (edition == Edition::first) return {1, 1000};
    return {1000, static_cast<float>(cells)};
  }
  /// The share nearest to 0 that counts: the rule adds a share when share >= it or share <= -it.
  float smallest_share(std::int64_t cells) const {
    return edition == Edition::first ? threshold : threshold / static_cast<float>(cells);
  }

  /// The same in binary64, for the true sums: an energy v comes to v * scale.
  double scale_in_double(std::int64_t cells) const {
    return edition == Edition::first ? 1.0 / 1000 : 1000.0 / static_cast<double>(cells);
  }
  double smallest_share_in_double(std::int64_t cells) const {
    return edition == Edition::first ? threshold : threshold / static_cast<double>(cells);
  }
};

template <class Law>
struct LayerRule {
  Law law;
  EnergyScale energy;
  float smallest;  ///< Rule::smallest_share()

  BOMBARD_HOST_DEVICE float share(float scaled_energy, float n) const {
    return scaled_energy / law.divisor(n);
  }
  /// Whether the rule adds the share of an energy at distance n, and it changes something.
  BOMBARD_HOST_DEVICE bool adds(float scaled_energy, float n) const {
    const float of_n = share(scaled_energy, n);
    return counts(of_n, smallest) && of_n != 0;
  }
};

/// use(rule) for the LayerRule of this layer. Throws std::logic_error for an attenuation that has
/// no law.
template <class Use>
auto with_law(const Rule& rule, std::int64_t cells, const Use& use) {
  const EnergyScale energy = rule.energy_scale(cells);
  const float smallest = rule.smallest_share(cells);
  if (rule.attenuation == square_root_attenuation) {
    return use(LayerRule<SquareRootLaw>{{}, energy, smallest});
  }
  const std::optional<GeneralLaw> law = GeneralLaw::of(rule.attenuation);
  if (!law) throw std::logic_error("an attenuation without a law");
  return use(LayerRule<GeneralLaw>{*law, energy, smallest});
}

}  // namespace bombard
