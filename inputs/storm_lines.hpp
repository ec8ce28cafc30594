#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "bombard/storm.hpp"
#include "inputs/storm_part.hpp"

namespace bombard {

/// A core reads the lines that begin in a section of so many bytes, and then those in others.
inline constexpr std::size_t storm_section_size = std::size_t{1} << 18;

/// Reads a storm's text that looks as write_storm() leaves it: one pair per line, with one blank
/// between position and energy. All cores read it, each about 1 GB of text per second. Returns
/// nothing for a text that looks different, be it right or wrong.
std::optional<std::vector<Impact>> read_storm_lines(std::string_view text,
                                                    std::size_t section_size = storm_section_size);

/// The lines of such a text that begin in a part of its bytes. Nothing where one of them looks
/// different. Whether all parts have as many as the text announces, all of them together tell.
std::optional<ImpactsOfPart> read_storm_lines(std::string_view text, const StormPart& part,
                                              std::size_t section_size = storm_section_size);

}  // namespace bombard
