#include "kernels/layer/attenuation.hpp"

#include <fmt/format.h>

namespace bombard {

std::string name_of(const Attenuation& attenuation) {
  const bool power = attenuation.kind == Attenuation::Kind::power;
  return fmt::format("{}:{}", power ? "power" : "exponential", attenuation.parameter);
}

bool is_there(const Attenuation& attenuation) {
  constexpr double least_power = 0.1, most_power = 8;
  const double parameter = attenuation.parameter;
  if (attenuation.kind == Attenuation::Kind::exponential) {
    return std::isfinite(parameter) && parameter > 0;
  }
  return parameter >= least_power && parameter <= most_power;
}

std::optional<GeneralLaw> GeneralLaw::of(const Attenuation& attenuation) {
  const double quarters = 4 * attenuation.parameter;
  if (attenuation.kind != Attenuation::Kind::power || quarters != std::floor(quarters) ||
      quarters < fewest_quarters || quarters > most_quarters) {
    return std::nullopt;
  }
  return GeneralLaw{static_cast<int>(quarters)};
}

}  // namespace bombard
