#pragma once

#include <optional>
#include <string>

#include "bombard/errors.hpp"
#include "bombard/settings.hpp"

/// The words of the command line (docs/usage.md) and what they mean. Each function throws
/// InputError, which names the option and its words, for any other text.
namespace bombard {

/// auto, cpu, cuda or cuda:N.
[[gnu::visibility("default")]] Device parse_device(const std::string& text);
/// auto (none), direct, fast or sparse.
[[gnu::visibility("default")]] std::optional<Method> parse_method(const std::string& text);
/// auto (none), single (or float) or double.
[[gnu::visibility("default")]] std::optional<Precision> parse_precision(const std::string& text);
/// 1 or 2.
[[gnu::visibility("default")]] Edition parse_edition(const std::string& text);
/// power:B, exponential:RANGE or damped:B:RANGE.
[[gnu::visibility("default")]] Attenuation parse_attenuation(const std::string& text);
/// A number T >= 0.
[[gnu::visibility("default")]] float parse_threshold(const std::string& text);
/// maxima, cells or layer.
[[gnu::visibility("default")]] Wanted parse_wanted(const std::string& text);
/// cub or inhouse.
[[gnu::visibility("default")]] Reduction parse_reduction(const std::string& text);

}  // namespace bombard
