#include "kernels/share/attenuation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bombard {

std::string name_of(const Attenuation& attenuation) {
  const auto* law = std::ranges::find_if(
      named_laws, [&](const NamedLaw& named) { return named.is_of(attenuation); });
  if (law == std::end(named_laws)) law = named_laws;  // there is no such attenuation
  std::string name = law->word;
  if (law->has_power) name += fmt::format(":{}", attenuation.power);
  if (law->has_range) name += fmt::format(":{}", attenuation.range);
  return name;
}

bool is_there(const Attenuation& attenuation) {
  constexpr double least_power = 0.1, most_power = 8;
  const auto [power, range] = attenuation;
  const bool has_power = power >= least_power && power <= most_power;
  return range > 0 && (has_power || (power == 0 && std::isfinite(range)));
}

}  // namespace bombard
