#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Tokens and integers, for oracles: written to be read, without anything of inputs/.
namespace bombard::fuzz {

inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

/// A text between separators, with its line, from 1.
struct Token {
  std::string_view text;
  std::int64_t line;
};

/// The line of a place in a text, from 1: each carriage return ends one, and each line feed that is
/// not behind a carriage return.
inline std::int64_t line_at(std::string_view text, std::size_t place) {
  std::int64_t line = 1;
  for (std::size_t i = 0; i < place; ++i) {
    if (text[i] == '\r' || (text[i] == '\n' && (i == 0 || text[i - 1] != '\r'))) ++line;
  }
  return line;
}
/// The number of the line on which the text ends.
inline std::int64_t last_line(std::string_view text) {
  return line_at(text, text.size());
}

/// Where the line ends that goes on at `begin`.
inline std::size_t end_of_line(std::string_view text, std::size_t begin) {
  return std::min(text.find_first_of("\r\n", begin), text.size());
}

/// The lines with something on them; `first` is the number of the first.
inline std::vector<Token> lines_of(std::string_view text, std::int64_t first = 1) {
  std::vector<Token> lines;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = end_of_line(text, begin);
    const std::string_view line = text.substr(begin, end - begin);
    if (!std::ranges::all_of(line, is_space)) {
      lines.push_back({line, first - 1 + line_at(text, begin)});
    }
  }
  return lines;
}

/// The texts between white space, commas and comments, which begin with #. A comma that stands
/// behind no number, or behind another comma, is a token.
inline std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  bool comma_expected = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '#') {
      i = end_of_line(text, i);
    } else if (is_space(text[i])) {
      ++i;
    } else if (text[i] == ',' && comma_expected) {
      comma_expected = false;
      ++i;
    } else {
      const std::size_t end = std::min(text.find_first_of(" \t\n\v\f\r,#", i + 1), text.size());
      tokens.push_back({text.substr(i, end - i), line_at(text, i)});
      comma_expected = true;
      i = end;
    }
  }
  return tokens;
}

/// The text without the byte order mark of UTF-8.
inline std::string_view without_mark(std::string_view text) {
  return text.substr(0, 3) == "\xEF\xBB\xBF" ? text.substr(3) : text;
}

/// A sign or none, and decimal digits: the number, or one beyond all limits; nothing for any other
/// text.
inline std::optional<__int128> integer_of(std::string_view text) {
  const __int128 beyond = static_cast<__int128>(1) << 100;
  const bool signed_ = !text.empty() && (text[0] == '+' || text[0] == '-');
  const bool negative = signed_ && text[0] == '-';
  if (signed_) text.remove_prefix(1);
  if (text.empty()) return {};
  __int128 value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    if (value < beyond) value = 10 * value + (c - '0');
  }
  return negative ? -value : value;
}

/// The same, from `lowest` to `highest`.
inline std::optional<std::int64_t> integer_within(std::string_view text, std::int64_t lowest,
                                                  std::int64_t highest) {
  const auto value = integer_of(text);
  if (!value || *value < lowest || *value > highest) return {};
  return static_cast<std::int64_t>(*value);
}

inline std::optional<std::int32_t> integer_of_32_bits(std::string_view text) {
  const auto value = integer_within(text, -2147483648LL, 2147483647LL);
  if (!value) return {};
  return static_cast<std::int32_t>(*value);
}

inline std::optional<std::int64_t> position_of(std::string_view text) {
  return integer_within(text, -2305843009213693952LL, 2305843009213693952LL);
}

}  // namespace bombard::fuzz
