#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "tests/fuzz/plain_tokens.hpp"

// Decimal numbers, for oracles: the grammar by hand, the value by the C library.
namespace bombard::fuzz {

/// Takes the digits at the beginning of `text`; returns how many there were.
inline std::size_t take_digits(std::string_view& text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  text.remove_prefix(digits);
  return digits;
}

/// Whether `text` is one of inf, infinity, nan and nan(...), in letters of any size.
inline bool is_special(std::string_view text) {
  const std::string lower = lower_case(text);
  if (lower == "inf" || lower == "infinity" || lower == "nan") return true;
  if (lower.size() < 5 || lower.substr(0, 4) != "nan(" || lower.back() != ')') return false;
  for (const char c : lower.substr(4, lower.size() - 5)) {
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '_')) return false;
  }
  return true;
}

/// Digits with a point or none and an exponent or none.
inline bool is_decimal(std::string_view text) {
  std::size_t digits = take_digits(text);
  if (text.substr(0, 1) == ".") {
    text.remove_prefix(1);
    digits += take_digits(text);
  }
  if (digits == 0) return false;
  if (text.substr(0, 1) == "e" || text.substr(0, 1) == "E") {
    text.remove_prefix(1);
    if (text.substr(0, 1) == "+" || text.substr(0, 1) == "-") text.remove_prefix(1);
    if (take_digits(text) == 0) return false;
  }
  return text.empty();
}

/// A number as C writes them, rounded once to T; nothing for what is none or too large for T.
template <class T>
std::optional<T> number_of(std::string_view token) {
  std::string_view magnitude = token;
  if (token.substr(0, 1) == "+" || token.substr(0, 1) == "-") magnitude.remove_prefix(1);
  const bool special = is_special(magnitude);
  if (!special && !is_decimal(magnitude)) return {};
  const std::string text(token);
  T value;
  if constexpr (std::is_same_v<T, float>) {
    value = std::strtof(text.c_str(), nullptr);
  } else {
    value = std::strtod(text.c_str(), nullptr);
  }
  if (!special && std::isinf(value)) return {};
  return value;
}

/// Whether an integer's digits are those of the double that is nearest to it.
inline bool is_exact(std::string_view integer, double value) {
  if (integer[0] == '+' || integer[0] == '-') integer.remove_prefix(1);
  while (integer.size() > 1 && integer[0] == '0') integer.remove_prefix(1);
  char digits[400];  // a double has at most 309
  std::snprintf(digits, sizeof digits, "%.0f", std::fabs(value));
  return integer == digits;
}

/// The same value and sign, or both not a number.
template <class T>
bool same(T a, T b) {
  return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}

}  // namespace bombard::fuzz
