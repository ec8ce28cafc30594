#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bombard/storm.hpp"

namespace bombard {

/// Parses a storm as the public files hold it: a count, then this number of `position energy` pairs
/// (docs/formats.md). Numbers are decimal integers with an optional sign. Between them is what
/// inputs/number_text.hpp says; white space is any of space, tab, line feed, carriage return,
/// vertical tab and form feed. A UTF-8 byte order mark in front is skipped. A count of 0 is a storm
/// without impacts. `name` appears in messages. Throws InputError with name and line for anything
/// else: nothing is guessed, nothing ignored. The caller asks for the memory of the announced
/// impacts.
std::vector<Impact> parse_storm(std::string_view text, const std::string& name);

/// Bytes of a section. A core reads the lines that begin in one section, and then takes another
/// section.
inline constexpr std::size_t storm_section_size = std::size_t{1} << 18;

/// Reads `count` lines as write_storm() leaves them: position and energy, with the one character
/// `between`. Each of up to `threads` threads reads about 1 GB of text per second. Returns nothing
/// if a line looks different, be it right or wrong, or if there are more lines or fewer.
std::optional<std::vector<Impact>> read_storm_lines(std::string_view lines, char between,
                                                    std::int64_t count, int threads,
                                                    std::size_t section_size = storm_section_size);

}  // namespace bombard
