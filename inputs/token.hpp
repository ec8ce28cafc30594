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

/// Text that a terminal can show as it is: what is not printable becomes an escape, such as \n:
/// bytes that are not UTF-8, control characters, and those that hide or disguise others.
std::string printable(std::string_view text);

/// The beginning of a token, 20 bytes at most, as a message shows it: printable, in quotes.
std::string in_quotes(std::string_view token);

/// The number in a text that is a number as C++ writes it, and nothing else.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return {};
  return number;
}

}  // namespace bombard
