#pragma once

#include <cstdint>
#include <string_view>

namespace bombard {

// Integers become doubles without loss or not at all, whatever format they come in.

/// Whether a double holds this integer.
constexpr bool is_exact_in_double(std::int64_t integer) {
  const auto number = static_cast<double>(integer);
  // 2^63 is a double, but not an std::int64_t to compare with.
  return number < 0x1p63 && static_cast<std::int64_t>(number) == integer;
}

/// The same for a text, if it is an integer; true for any other text.
bool is_exact_in_double(std::string_view token);

/// What a message says about an integer that a double cannot hold.
inline constexpr const char* too_many_digits = "more digits than a 64-bit float holds";

}  // namespace bombard
