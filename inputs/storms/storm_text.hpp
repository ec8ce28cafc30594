#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bombard/storm.hpp"
#include "inputs/mapped_file.hpp"

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

/// Looks at a file that a pipe gives: throws as parse_storm() does, once the text is longer than
/// the announced impacts take, and CannotRun where these do not fit in memory.
void look_at_storm(const MappedFile& begun);

/// Bytes of a section. A core reads the lines that begin in one section, and then takes another
/// section.
inline constexpr std::size_t storm_section_size = std::size_t{1} << 18;

/// Reads a storm's text that looks as write_storm() leaves it: one pair per line, with one blank
/// between position and energy. Each of up to `threads` threads reads about 1 GB of text per
/// second. Returns nothing where a line looks different, be it right or wrong, and where there are
/// more lines than the text announces, or fewer.
std::optional<std::vector<Impact>> read_storm_lines(std::string_view text, int threads,
                                                    std::size_t section_size = storm_section_size);

/// Writes the count and the pairs, one pair per line, beside `path` and renames the file: a reader
/// never sees half a file.
void write_storm(const Storm& storm, const std::string& path);

}  // namespace bombard
