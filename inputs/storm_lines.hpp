#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "inputs/storm.hpp"

namespace bombard {

/// Reads a storm's text that looks as write_storm() leaves it, one pair a line, a blank between:
/// all cores at once, each at about 1 GB of text a second. Nothing for a text of any other look,
/// right or wrong.
std::optional<std::vector<Impact>> read_storm_lines(std::string_view text);

}  // namespace bombard
