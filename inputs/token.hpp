#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace bombard {

inline bool is_white(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// A line feed or a carriage return, alone or as a pair.
inline bool ends_line(char c) {
  return c == '\n' || c == '\r';
}

/// A text without the byte order mark of UTF-8 that may stand before it.
inline std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

/// The characters of `text` up to the first white space.
std::string_view first_token(std::string_view text);

/// Text that a terminal can show as it is: what is not printable becomes an escape, such as \n:
/// bytes that are not UTF-8, control characters, and those that hide or disguise others.
std::string printable(std::string_view text);

/// The beginning of a token, 20 bytes at most, as a message shows it: printable, in quotes.
std::string quoted(std::string_view token);

/// The number in a text that is a number as C++ writes it, and nothing else.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return {};
  return number;
}

/// Reads the decimal integer with an optional sign that begins at `at`; one beyond 64 bits gives
/// the nearest one of 64 bits. Returns its end; nullptr if none begins there.
inline const char* scan_integer(const char* at, const char* end, std::int64_t& value) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (end - at > 1 && *at == '+' && at[1] != '-') ++at;
  const auto [stop, error] = std::from_chars(at, end, value);
  if (error == std::errc::result_out_of_range) value = *at == '-' ? Limits::min() : Limits::max();
  return error == std::errc::invalid_argument ? nullptr : stop;
}

/// Reads such an integer from `lowest` to `highest`. Returns why the token is none, or nothing if
/// it is one: `energy "12x" is not an integer`; `what` names it.
std::string parse_integer(std::string_view token, std::string_view what, std::int64_t lowest,
                          std::int64_t highest, std::int64_t& value);

/// What a message says about an integer that a double cannot hold. Integers become doubles without
/// loss or not at all, whatever format they come in.
inline constexpr const char* too_many_digits = "more digits than a 64-bit float holds";

/// Reads a decimal number as C writes them, T float or double, rounded once; also inf and nan. An
/// integer must be exact in double. Returns why the token is not such a number, or nothing if it is
/// one.
template <class T>
std::string parse_number(std::string_view token, T& value);

}  // namespace bombard
