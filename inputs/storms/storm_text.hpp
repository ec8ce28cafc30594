#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bombard/storm.hpp"

namespace bombard {

/// Parses a storm as the public files hold it: a count, then this number of `position energy` pairs
/// (docs/formats.md). Numbers are decimal integers with an optional sign. Between them is what
/// inputs/number_text.hpp says; white space is any of space, tab, line feed, carriage return,
/// vertical tab and form feed. A UTF-8 byte order mark in front is skipped. A count of 0 is a storm
/// without impacts. `name` stands in messages and becomes the storm's. Throws InputError with name
/// and line for anything else: nothing is guessed, nothing ignored. The caller asks for the memory
/// of the announced impacts. A text that goes on is parsed as far as it has come.
Storm parse_storm(std::string_view text, const std::string& name, bool goes_on = false);

/// The number of impacts that a storm's text announces, but no more than it can hold. Throws as
/// parse_storm() does where the count is none.
std::int64_t announced_impacts(std::string_view text, const std::string& name);

/// Looks at a text that goes on: throws as parse_storm() does, once the text is longer than the
/// announced impacts take, and CannotRun where these do not fit in memory.
void look_at_storm(std::string_view begun, const std::string& name);

/// Writes the count and the pairs, one pair per line, beside `path` and renames the file: a reader
/// never sees half a file.
void write_storm(const Storm& storm, const std::string& path);

}  // namespace bombard
