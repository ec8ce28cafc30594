#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace bombard {

inline bool is_white(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The text behind the byte order mark of UTF-8, if it begins with one.
std::string_view without_byte_order_mark(std::string_view text);

/// The characters of `text` up to the first white space.
std::string_view first_token(std::string_view text);

/// A token as a message shows it: unprintable bytes escaped, cut to 20 characters, in quotes.
std::string quoted(std::string_view token);

/// A text that is a number as C++ writes it, and nothing else.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return {};
  return number;
}

/// A number, or why a token is none.
template <class T>
struct NumberToken {
  T value = 0;
  std::string problem;  ///< empty when the value is right; else `energy "12x" is not an integer`
};
/// A decimal integer with an optional sign, from `lowest` to `highest`; `what` names it in
/// messages.
NumberToken<std::int64_t> parse_integer(std::string_view token, std::string_view what,
                                        std::int64_t lowest, std::int64_t highest);
/// A decimal number as C writes them, T float or double, rounded once; also inf and nan.
template <class T>
NumberToken<T> parse_number(std::string_view token, std::string_view what);

}  // namespace bombard
