#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bombard/storm.hpp"
#include "inputs/input_file.hpp"

namespace bombard {

/// A text is parsed in pieces of this number of bytes, so that a file that is not in memory takes
/// little.
inline constexpr std::size_t storm_piece_size = std::size_t{1} << 18;

/// Parses a storm as the public files hold it: a count, then this number of `position energy` pairs
/// (docs/formats.md). Numbers are decimal integers with an optional sign. Between them is what
/// inputs/separators.hpp says; white space is any of space, tab, line feed, carriage return,
/// vertical tab and form feed. A UTF-8 byte order mark in front is skipped. A count of 0 is a storm
/// without impacts. `name` stands in messages and becomes the storm's. Throws InputError with name
/// and line for anything else: nothing is guessed, nothing ignored; CannotRun for more impacts than
/// there is memory for. A number (with the byte order
/// mark before it) must be shorter than a piece.
Storm parse_storm(std::string_view text, const std::string& name,
                  std::size_t piece_size = storm_piece_size);

/// The same for a file, from where it stands, read in pieces: memory is taken for the impacts only.
/// `begun`, the bytes that have been read already, is shorter than a piece.
Storm read_storm_text(InputFile& file, std::string_view begun = {},
                      std::size_t piece_size = storm_piece_size);

/// The most pairs that a text of `bytes` bytes can hold: each takes 4, the last one may lack the
/// white space behind it.
std::int64_t most_pairs(std::size_t bytes);

/// Writes the count and the pairs, one pair per line, beside `path` and renames the file: a reader
/// never sees half a file.
void write_storm(const Storm& storm, const std::string& path);

}  // namespace bombard
