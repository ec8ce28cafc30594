#pragma once

#include <span>
#include <string>
#include <string_view>

namespace bombard::tools {

/// `; did you mean "generate"?` for a word whose letters are those of one of these but for two at
/// most, empty for any other.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace bombard::tools
