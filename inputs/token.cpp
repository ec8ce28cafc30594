#include "inputs/token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

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
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  std::string text(negative ? "-" : "");
  text += digits;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < lowest || value > highest) {
    return {0, fmt::format("{} {} is out of range; it must lie between {} and {}", what,
                           quoted(token), lowest, highest)};
  }
  return {value, {}};
}

}  // namespace bombard
