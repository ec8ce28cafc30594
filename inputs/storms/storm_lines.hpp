#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "inputs/storms/storm_part.hpp"

namespace bombard {

/// Bytes of a section. A core reads the lines that begin in one section, and then takes another
/// section.
inline constexpr std::size_t storm_section_size = std::size_t{1} << 18;

/// Reads a part of a storm's text that looks as write_storm() leaves it: one pair per line, with
/// one blank between position and energy; the lines that begin in the part. Each thread reads about
/// 1 GB of text per second. Returns nothing where a line looks different, be it right or wrong, and
/// where there are more lines than the text announces, or fewer in the only part. The caller
/// compares the impacts of several parts with this number.
std::optional<ImpactsOfPart> read_storm_lines(std::string_view text, const StormPart& part,
                                              std::size_t section_size = storm_section_size);

}  // namespace bombard
