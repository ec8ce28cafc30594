#include "inputs/token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace bombard {

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

std::string_view first_token(std::string_view text) {
  return text.substr(0, std::find_if(text.begin(), text.end(), is_white) - text.begin());
}

std::string quoted(std::string_view token) {
  constexpr std::size_t longest = 20;
  std::string shown = "\"";
  for (const char c : token.substr(0, longest)) {
    if (c == '"' || c == '\\') {
      shown += '\\';
      shown += c;
    } else if (c >= ' ' && c <= '~') {
      shown += c;
    } else {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return shown + (token.size() > longest ? "...\"" : "\"");
}

NumberToken<std::int64_t> parse_integer(std::string_view token, std::string_view what,
                                        std::int64_t lowest, std::int64_t highest) {
  std::string_view digits = token;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return {0, fmt::format("{} {} is not an integer", what, quoted(token))};
  }
  std::int64_t value = 0;
  const char* const begin = token.data() + (token.front() == '+' ? 1 : 0);
  const std::errc error = std::from_chars(begin, token.data() + token.size(), value).ec;
  if (error == std::errc::result_out_of_range) {
    using Value = std::numeric_limits<std::int64_t>;
    value = negative ? Value::min() : Value::max();
  }
  if (value < lowest || value > highest) {
    return {0, fmt::format("{} {} is out of range; it must lie between {} and {}", what,
                           quoted(token), lowest, highest)};
  }
  return {value, {}};
}

template <class T>
NumberToken<T> parse_number(std::string_view token, std::string_view what) {
  const std::size_t plus = token.size() > 1 && token[0] == '+' && token[1] != '-' ? 1 : 0;
  T value = 0;
  const auto [stop, error] =
      std::from_chars(token.data() + plus, token.data() + token.size(), value);
  if (error == std::errc::invalid_argument || stop != token.data() + token.size()) {
    return {0, fmt::format("{} {} is not a number", what, quoted(token))};
  }
  if (error == std::errc::result_out_of_range) {
    // Too large, or so close to zero that its nearest value is a subnormal one or zero.
    const std::string text(token);
    if constexpr (std::is_same_v<T, float>) {
      value = std::strtof(text.c_str(), nullptr);
    } else {
      value = std::strtod(text.c_str(), nullptr);
    }
    if (std::isinf(value)) {
      return {0, fmt::format("{} {} is out of range; it must lie between {} and {}", what,
                             quoted(token), std::numeric_limits<T>::lowest(),
                             std::numeric_limits<T>::max())};
    }
  }
  return {value, {}};
}
template NumberToken<float> parse_number(std::string_view, std::string_view);
template NumberToken<double> parse_number(std::string_view, std::string_view);

}  // namespace bombard
