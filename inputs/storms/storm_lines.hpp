#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "bombard/storm.hpp"

namespace bombard {

/// Bytes of a section. A core reads the lines that begin in one section, and then takes another
/// section.
inline constexpr std::size_t storm_section_size = std::size_t{1} << 18;

/// Reads a storm's text that looks as write_storm() leaves it: one pair per line, with one blank
/// between position and energy. Each of up to `threads` threads reads about 1 GB of text per
/// second. Returns nothing where a line looks different, be it right or wrong, and where there are
/// more lines than the text announces, or fewer.
std::optional<std::vector<Impact>> read_storm_lines(std::string_view text, int threads,
                                                    std::size_t section_size = storm_section_size);

}  // namespace bombard
