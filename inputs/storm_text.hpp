#pragma once

#include <string>
#include <string_view>

#include "inputs/storm.hpp"

namespace bombard {

/// Reads a storm as the public files hold it: a count, then as many `position energy` pairs, any white
/// space between the numbers (docs/formats.md). `path` "-" reads standard input.
/// Throws InputError naming file and line.
Storm read_storm(const std::string& path);

/// The same from text in memory; `name` stands in messages.
Storm parse_storm(std::string_view text, const std::string& name);

/// Writes count and pairs, one pair a line, beside `path` and renames: a reader never sees half a file.
void write_storm(const Storm& storm, const std::string& path);

}  // namespace bombard
