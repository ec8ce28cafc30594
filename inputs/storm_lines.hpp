#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "bombard/storm.hpp"
#include "inputs/storm_part.hpp"

namespace bombard {

/// Bytes of a section. A core reads the lines that begin in one section, and then takes another
/// section.
inline constexpr std::size_t storm_section_size = std::size_t{1} << 18;

/// Reads a storm's text that looks as write_storm() leaves it: one pair per line, with one blank
/// between position and energy. All cores read it, each about 1 GB of text per second. Returns
/// nothing for a text that looks different, be it right or wrong.
std::optional<std::vector<Impact>> read_storm_lines(std::string_view text,
                                                    std::size_t section_size = storm_section_size);

/// The lines of such a text that begin in a part of its bytes. Nothing where one of them looks
/// different. The caller compares the number of impacts of all parts with the number that the text
/// announces.
std::optional<ImpactsOfPart> read_storm_lines(std::string_view text, const StormPart& part,
                                              std::size_t section_size = storm_section_size);

}  // namespace bombard
