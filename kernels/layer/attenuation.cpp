#include "kernels/layer/attenuation.hpp"

#include <fmt/format.h>

#include <charconv>

namespace bombard {

namespace {

constexpr double least_power = 0.1, most_power = 8;

constexpr std::string_view prefix_of(Attenuation::Kind kind) {
  return kind == Attenuation::Kind::power ? "power:" : "exponential:";
}

}  // namespace

std::string name_of(const Attenuation& attenuation) {
  return fmt::format("{}{}", prefix_of(attenuation.kind), attenuation.parameter);
}

std::optional<Attenuation> attenuation_of_name(std::string_view name) {
  for (const auto kind : {Attenuation::Kind::power, Attenuation::Kind::exponential}) {
    if (!name.starts_with(prefix_of(kind))) continue;
    const std::string_view number = name.substr(prefix_of(kind).size());
    double parameter = 0;
    const char* const end = number.data() + number.size();
    const auto [rest, error] = std::from_chars(number.data(), end, parameter);
    if (error != std::errc{} || rest != end || !std::isfinite(parameter)) return std::nullopt;
    const bool possible = kind == Attenuation::Kind::power
                              ? parameter >= least_power && parameter <= most_power
                              : parameter > 0;
    if (possible) return Attenuation{kind, parameter};
  }
  return std::nullopt;
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
