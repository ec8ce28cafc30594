#pragma once

#include <cmath>
#include <optional>

#include "bombard/rule.hpp"
#include "kernels/base/host_device.hpp"

/// The arithmetic of an Attenuation, in binary64 and as the rule computes it. The rule takes it as
/// a law: a type that has divisor(n), the binary32 number by which an energy is divided, built from
/// IEEE 754 operations alone, so that every device has the same bits. It is non-decreasing in n.
namespace bombard {

/// A law as the command line and Python name it: its word, and which of an Attenuation's two
/// numbers follow it, the power first. A number that does not follow is 0 (power) or infinite.
struct NamedLaw {
  const char* word;
  bool has_power, has_range;

  bool is_of(const Attenuation& attenuation) const {
    return has_power == (attenuation.power != 0) && has_range == std::isfinite(attenuation.range);
  }
};
inline constexpr NamedLaw named_laws[] = {
    {"power", true, false}, {"exponential", false, true}, {"damped", true, true}};

/// Whether there is an attenuation with these numbers.
bool is_there(const Attenuation& attenuation);
/// The attenuations that there are: a clause for messages.
inline constexpr const char* attenuations_there_are =
    "power:B with B from 0.1 to 8 (in single precision 0.25, 0.5, 0.75 .. 4), or in double "
    "precision exponential:RANGE or damped:B:RANGE with a RANGE above 0, in cells";

/// The attenuation at a distance n >= 1, as exact as binary64 permits; it is at most 1.
BOMBARD_HOST_DEVICE inline double attenuated(const Attenuation& attenuation, double n) {
  const double of_power = attenuation.power == 0 ? 1 : std::pow(n, -attenuation.power);
  if (std::isinf(attenuation.range)) return of_power;
  return of_power * std::exp(-(n - 1) / attenuation.range);
}

/// The distance n at which attenuated() is 1 / ratio, up to rounding.
BOMBARD_HOST_DEVICE inline double distance_of(const Attenuation& attenuation, double ratio) {
  const auto [power, range] = attenuation;
  const double by_power = std::pow(ratio, 1 / power);
  const double by_range = 1 + range * std::log(ratio);
  if (power == 0) return by_range;
  if (std::isinf(range) || !(ratio > 1)) return by_power;
  // Newton's steps for power ln n + (n - 1) / range = ln ratio, whose left side is concave: after
  // the first step they rise.
  constexpr int steps = 8;
  double n = by_power < by_range ? by_power : by_range;
  for (int i = 0; i < steps; ++i) {
    const double over = power * std::log(n) + (n - 1) / range - std::log(ratio);
    const double next = n - over / (power / n + 1 / range);
    n = next > 1 ? next : 1;
  }
  return n;
}

/// n^(1/2), the published law: kernels have it built in and compute it in faster ways.
struct SquareRootLaw {
  /// Roundings on the way to e / divisor(n), without those of e: half a rounding for n, one for the
  /// root, one for the quotient.
  static constexpr double roundings = 2.5;

  BOMBARD_HOST_DEVICE static double power() { return 0.5; }
  [[gnu::always_inline]] BOMBARD_HOST_DEVICE static float divisor(float n) { return std::sqrt(n); }
};

/// All laws: n^b for b = quarters / 4. It is n times itself, then times the root of n, then times
/// the root of that root, as far as b contains them, from left to right with each operation
/// rounded; a single factor stands as it is. Too large a divisor becomes infinite, and its shares
/// become 0.
struct GeneralLaw {
  static constexpr int fewest_quarters = 1, most_quarters = 16;
  /// Counted as for SquareRootLaw, at most: n's own 4 times, two products of n, two more with its
  /// roots, a root (1) and the root of a root (1.5), and the quotient's.
  static constexpr double roundings = 12;

  int quarters = 2;

  /// None for an attenuation that has no law: then there are no shares in binary32.
  static std::optional<GeneralLaw> of(const Attenuation& attenuation);

  BOMBARD_HOST_DEVICE double power() const { return 0.25 * quarters; }
  [[gnu::always_inline]] BOMBARD_HOST_DEVICE float divisor(float n) const {
    float product = 1;
    for (int i = 4; i <= quarters; i += 4) product *= n;
    if (quarters % 4 == 0) return product;
    const float root = std::sqrt(n);
    if (quarters & 2) product *= root;
    if (quarters & 1) product *= std::sqrt(root);
    return product;
  }
};

}  // namespace bombard
