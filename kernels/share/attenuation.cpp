#include "kernels/share/attenuation.hpp"

#include <fmt/format.h>

namespace bombard {

std::string name_of(const Attenuation& attenuation) {
  switch (attenuation.kind) {
    case Attenuation::Kind::power:
      return fmt::format("power:{}", attenuation.parameter);
    case Attenuation::Kind::exponential:
      return fmt::format("exponential:{}", attenuation.parameter);
  }
  __builtin_unreachable();
}

bool is_there(const Attenuation& attenuation) {
  constexpr double least_power = 0.1, most_power = 8;
  const double parameter = attenuation.parameter;
  switch (attenuation.kind) {
    case Attenuation::Kind::power:
      return parameter >= least_power && parameter <= most_power;
    case Attenuation::Kind::exponential:
      return std::isfinite(parameter) && parameter > 0;
  }
  __builtin_unreachable();
}

std::optional<GeneralLaw> GeneralLaw::of(const Attenuation& attenuation) {
  switch (attenuation.kind) {
    case Attenuation::Kind::power: {
      const double quarters = 4 * attenuation.parameter;
      if (quarters != std::floor(quarters) || quarters < fewest_quarters ||
          quarters > most_quarters) {
        return std::nullopt;
      }
      return GeneralLaw{static_cast<int>(quarters)};
    }
    case Attenuation::Kind::exponential:
      return std::nullopt;
  }
  __builtin_unreachable();
}

}  // namespace bombard
