#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "inputs/token.hpp"

namespace bombard {

// Integers as they almost always are: a minus or none, few digits. Anything else (a plus, many
// digits, no digits) the careful parse_integer() shall judge.

/// How many bytes must be readable at `at` for scan_integer().
inline constexpr std::ptrdiff_t scan_margin = 16;

/// The leading decimal digits of seven characters.
struct DigitRun {
  std::uint32_t value;  ///< meaningless without digits
  unsigned length;      ///< 0..7
};

/// The digits at the low end of `word`, eight characters as they lie in memory (little-endian; the
/// eighth is not looked at), all at once and without a branch: one multiplication joins neighbours
/// to two digits, the next to four, the last to eight (Lemire, "Number parsing at a gigabyte per
/// second", 2021).
inline DigitRun leading_digits(std::uint64_t word) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t each = 0x0101010101010101;
  std::uint64_t digits = word ^ (each * '0');  // 0..9 in the bytes that are digits
  // The top bit of each byte that is above 9; a carry can only come from such a byte, so that the
  // lowest bit set is right.
  const std::uint64_t others =
      (((digits + each * (0x7F - 9)) | digits) & (each * 0x80)) | std::uint64_t{1} << 63;
  const unsigned bits = static_cast<unsigned>(std::countr_zero(others)) / 8 * 8;
  digits <<= (64 - bits) % 64;  // the last digit to the top, zeros before the first
  digits = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FF;
  digits = (digits * 100 + (digits >> 16)) & 0x0000FFFF0000FFFF;
  digits = digits * 10000 + (digits >> 32);
  return {static_cast<std::uint32_t>(digits), bits / 8};
}

/// Reads an optional minus and 1 to 7 digits at `at`, which moves behind them, without a branch.
/// Returns false without digits, and then `at` and `value` mean nothing. The caller checks the
/// characters behind the digits: more digits, perhaps. Eight bytes must be readable, and the one
/// behind the digits.
inline bool scan_short_integer(const char*& at, std::int32_t& value) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  const unsigned negative = (word & 0xFF) == '-';
  const DigitRun digits = leading_digits(word >> 8 * negative);
  at += negative + digits.length;
  const std::int32_t sign = -static_cast<std::int32_t>(negative);
  value = (static_cast<std::int32_t>(digits.value) ^ sign) - sign;
  return digits.length != 0;
}

/// The same for 1 to 14 digits; scan_margin bytes must be readable.
inline bool scan_integer(const char*& at, std::int64_t& value) {
  const bool negative = *at == '-';
  std::int32_t head;
  const bool good = scan_short_integer(at, head);
  value = head;
  if (is_digit(*at)) {  // the eighth
    constexpr std::uint32_t power_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    const DigitRun tail = leading_digits(word);
    at += tail.length;
    value = value * power_of_ten[tail.length] +
            (negative ? -std::int64_t{tail.value} : std::int64_t{tail.value});
  }
  return good;
}

}  // namespace bombard
