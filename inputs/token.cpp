#include "inputs/token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace bombard {

std::string_view first_token(std::string_view text) {
  return text.substr(0, std::find_if(text.begin(), text.end(), is_white) - text.begin());
}

std::string printable(std::string_view text) {
  const std::string escaped = fmt::format("{:?}", text);  // in quotes
  std::string shown;
  for (std::size_t i = 1; i + 1 < escaped.size(); ++i) {
    const std::string_view two(&escaped[i], 2);
    if (two == "\\\"" || two == "\\\\") ++i;  // these two characters stay as they are
    shown += escaped[i];
  }
  return shown;
}

std::string quoted(std::string_view token) {
  constexpr std::size_t longest = 20;
  std::string shown = fmt::format("{:?}", token.substr(0, longest));
  if (token.size() > longest) shown.insert(shown.size() - 1, "...");
  return shown;
}

namespace {

/// Whether a double holds a number, if it is an integer; true for any other number.
bool is_exact_in_double(std::string_view token) {
  if (token.size() <= std::numeric_limits<double>::digits10) return true;
  const double value = std::strtod(std::string(token).c_str(), nullptr);
  if (token.front() == '-' || token.front() == '+') token.remove_prefix(1);
  token.remove_prefix(std::min(token.find_first_not_of('0'), token.size()));
  return token.find_first_not_of("0123456789") != std::string_view::npos ||
         fmt::format("{:.0f}", std::abs(value)) == (token.empty() ? "0" : token);
}

template <class Number>
std::string not_between(std::string_view what, std::string_view token, Number lowest,
                        Number highest) {
  return fmt::format("{} {} is out of range; it must lie between {} and {}", what, quoted(token),
                     lowest, highest);
}

}  // namespace

std::string parse_integer(std::string_view token, std::string_view what, std::int64_t lowest,
                          std::int64_t highest, std::int64_t& value) {
  const char* const end = token.data() + token.size();
  if (token.empty() || scan_integer(token.data(), end, value) != end) {
    return fmt::format("{} {} is not an integer", what, quoted(token));
  }
  return value < lowest || value > highest ? not_between(what, token, lowest, highest) : "";
}

template <class T>
std::string parse_number(std::string_view token, T& value) {
  const std::size_t plus = token.size() > 1 && token[0] == '+' && token[1] != '-' ? 1 : 0;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data() + plus, end, value);
  if (error == std::errc::invalid_argument || stop != end) {
    return fmt::format("value {} is not a number", quoted(token));
  }
  if (error == std::errc::result_out_of_range) {
    // Too large, or so close to zero that its nearest value is a subnormal one or zero.
    const std::string text(token);
    if constexpr (std::is_same_v<T, float>) {
      value = std::strtof(text.c_str(), nullptr);
    } else {
      value = std::strtod(text.c_str(), nullptr);
    }
    using Limits = std::numeric_limits<T>;
    if (std::isinf(value)) return not_between("value", token, Limits::lowest(), Limits::max());
  }
  if (is_exact_in_double(token)) return {};
  return fmt::format("value {} has {}", quoted(token), too_many_digits);
}
template std::string parse_number(std::string_view, float&);
template std::string parse_number(std::string_view, double&);

}  // namespace bombard
