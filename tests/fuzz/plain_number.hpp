#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <type_traits>

// Decimal numbers, for oracles: the grammar as a regular expression, the value by the C library.
namespace bombard::fuzz {

/// A number as C writes them, rounded once to T; nothing for what is none or too large for T.
template <class T>
std::optional<T> number_of(std::string_view token) {
  static const std::regex number(
      R"([+-]?(?:(inf|infinity|nan|nan\([0-9a-z_]*\))|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?))",
      std::regex::icase);
  std::smatch found;
  const std::string text(token);
  if (!std::regex_match(text, found, number)) return {};
  T value;
  if constexpr (std::is_same_v<T, float>) {
    value = std::strtof(text.c_str(), nullptr);
  } else {
    value = std::strtod(text.c_str(), nullptr);
  }
  const bool special = found[1].matched;
  if (!special && std::isinf(value)) return {};
  return value;
}

/// Whether an integer's digits are those of the double that is nearest to it.
inline bool is_exact(std::string_view integer) {
  const double value = std::strtod(std::string(integer).c_str(), nullptr);
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
