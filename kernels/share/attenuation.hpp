#pragma once

#include <cmath>

#include "bombard/rule.hpp"
#include "kernels/base/host_device.hpp"

/// The arithmetic of an Attenuation in binary64. In binary32 there is the square root alone
/// (kernels/layer/rule.hpp).
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
    "power:0.5, or in double precision power:B with B from 0.1 to 8, exponential:RANGE or "
    "damped:B:RANGE with a RANGE above 0, in cells";

/// The attenuation at a distance n >= 1, as exact as binary64 permits; it is at most 1.
BOMBARD_HOST_DEVICE inline double attenuated(const Attenuation& attenuation, double n) {
  const double of_power = attenuation.power == 0 ? 1 : std::pow(n, -attenuation.power);
  if (std::isinf(attenuation.range)) return of_power;
  return of_power * std::exp(-(n - 1) / attenuation.range);
}

}  // namespace bombard
