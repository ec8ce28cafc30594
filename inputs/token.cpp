#include "inputs/token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace bombard {

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

std::int64_t line_at(std::string_view text, std::size_t offset) {
  return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
}

IntegerToken parse_integer(std::string_view token, std::string_view what, std::int64_t lowest,
                           std::int64_t highest) {
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

}  // namespace bombard
