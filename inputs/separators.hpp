#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "inputs/integer_scanner.hpp"
#include "inputs/token.hpp"

namespace bombard {

/// Whether a number of a text ends before this character.
inline bool ends_number(char c) {
  return is_white(c) || c == ',' || c == '#';
}

/// The characters from `at` to what ends a number; at least one.
inline std::string_view number_token(const char* at, const char* end) {
  return {at, std::find_if(at + 1, end, ends_number)};
}

/// The integer at `at`, which moves behind it; what refuse(problem) returns where it is
/// none of this range (parse_integer()).
template <class Refuse>
inline std::int64_t take_integer(const char*& at, const char* end, std::string_view what,
                                 std::int64_t lowest, std::int64_t highest, const Refuse& refuse) {
  std::int64_t value = 0;
  const char* behind = at;
  if (end - at > scan_margin && scan_integer(behind, value) && ends_number(*behind) &&
      value >= lowest && value <= highest) [[likely]] {
    at = behind;
    return value;
  }
  const std::string_view token = number_token(at, end);
  at += token.size();
  const IntegerToken integer = parse_integer(token, what, lowest, highest);
  return integer.problem.empty() ? integer.value : refuse(integer.problem);
}

/// The text between the numbers of a text file (docs/formats.md): white space, comments from # to
/// the end of the line, and one comma behind a number. A text may be given in pieces that end
/// between numbers or within a comment.
class Separators {
 public:
  /// Moves `at` to the next number, or to `end`. A comma that has no number before it is left to be
  /// found as a number that is none. Between two calls comes one number_token().
  void skip(const char*& at, const char* end) {
    for (; at != end; ++at) {
      if (*at == '\n') {
        ++line_;
        in_comment_ = false;
      } else if (in_comment_ || is_white(*at)) {
        continue;
      } else if (*at == '#') {
        in_comment_ = true;
      } else if (*at == ',' && behind_number_) {
        behind_number_ = false;
      } else {
        behind_number_ = true;
        return;
      }
    }
  }

  /// The line of the character at which skip() stopped, from 1.
  std::int64_t line() const { return line_; }
  /// Whether what follows `end` still is a comment.
  bool in_comment() const { return in_comment_; }

 private:
  std::int64_t line_ = 1;
  bool in_comment_ = false;
  bool behind_number_ = false;  ///< and behind no comma
};

}  // namespace bombard
