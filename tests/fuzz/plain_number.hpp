#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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
  const T value = std::is_same_v<T, float> ? static_cast<T>(std::strtof(text.c_str(), nullptr))
                                           : static_cast<T>(std::strtod(text.c_str(), nullptr));
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

/// The same numbers: each pair has one value and one sign, or both are not a number.
template <class T>
bool all_same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](T x, T y) {
    return (x != x && y != y) || (x == y && std::signbit(x) == std::signbit(y));
  });
}

}  // namespace bombard::fuzz
