#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/layer/rule.hpp"

/// The reach of an energy: the largest distance n at which its share counts. Shares do not grow
/// with n because each of their roundings is monotone, so those at 1 .. reach count and no others
/// (docs/methods.md, The rule is a family). A share of 0, which changes nothing, is treated as one
/// that does not count. All of this is the same on every device.
namespace bombard {

/// No cell is so far from an impact: this reach never ends.
inline constexpr std::int64_t reaches_everywhere = std::int64_t{1} << 62;

/// The largest n of 1 .. reaches_everywhere for which counted(n) is true; 0 if there is none.
/// counted(n) must be true up to some n and false beyond it. A guess near it only saves time.
template <class Counted>
BOMBARD_HOST_DEVICE std::int64_t last_counted(double guess, const Counted& counted) {
  if (!counted(1)) return 0;
  if (counted(reaches_everywhere)) return reaches_everywhere;
  std::int64_t low = 1;                    // counts
  std::int64_t high = reaches_everywhere;  // does not
  constexpr double off = 0x1p-18;          // for a power of 1/4 the roundings come to 48 * 2^-24
  const double around[] = {guess * (1 + off) + 2, guess * (1 - off) - 2};
  for (const double near : around) {
    if (!(near > 1 && near < static_cast<double>(reaches_everywhere))) continue;
    const auto n = static_cast<std::int64_t>(near);
    if (n <= low || n >= high) continue;
    (counted(n) ? low : high) = n;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (counted(middle) ? low : high) = middle;
  }
  return low;
}

/// The reach of an energy in thousands, from the rule's own binary32 shares.
template <class Law>
BOMBARD_HOST_DEVICE std::int64_t reach(const LayerRule<Law>& rule, std::int32_t energy) {
  const float scaled = rule.energy(energy);
  const double guess =
      std::pow(std::fabs(static_cast<double>(scaled)) / static_cast<double>(rule.smallest),
               1 / rule.law.power());
  return last_counted(guess,
                      [&](std::int64_t n) { return rule.adds(scaled, static_cast<float>(n)); });
}

/// The rule with an attenuation that has no law in binary32, for the true sums: a share counts if
/// its value in binary64 is at least T, or T / L, less one part in 2^40 that allows for the
/// rounding of powers and exponentials.
struct TrueRule {
  Attenuation attenuation;
  double scale, smallest;
};

BOMBARD_HOST_DEVICE inline std::int64_t reach(const TrueRule& rule, std::int32_t energy) {
  constexpr double nearly_all = 1 - 0x1p-40;
  const double scaled = std::fabs(static_cast<double>(energy)) * rule.scale;
  const double guess = distance_of(rule.attenuation, scaled / rule.smallest);
  return last_counted(guess, [&](std::int64_t n) {
    const double share = scaled * attenuated(rule.attenuation, static_cast<double>(n));
    return share >= rule.smallest * nearly_all && share != 0;
  });
}

/// The reach as a ScaledImpact stores it.
BOMBARD_HOST_DEVICE inline std::int32_t reach_of_impact(std::int64_t reach) {
  return reach < ScaledImpact::any ? static_cast<std::int32_t>(reach) : ScaledImpact::any;
}

}  // namespace bombard
