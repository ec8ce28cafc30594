#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "bombard/storm.hpp"
#include "inputs/number_text.hpp"

namespace bombard {

/// The next number of a text as an impact's position, or as its energy.
inline std::int64_t take_position(NumberText& text) {
  return text.integer("position", -largest_position, largest_position);
}
inline std::int32_t take_energy(NumberText& text) {
  using Energy = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(text.integer("energy", Energy::min(), Energy::max()));
}

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
