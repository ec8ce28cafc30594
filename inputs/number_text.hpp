#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "bombard/errors.hpp"
#include "inputs/token.hpp"

namespace bombard {

/// Whether a number of a text ends before this character.
inline bool ends_number(char c) {
  return is_white(c) || c == ',' || c == '#';
}

/// A text of numbers (docs/formats.md), read from front to back. Between the numbers stand white
/// space, comments from # to the end of the line, and one comma behind a number.
///
///   NumberText numbers(file.content(), file.name());
///   while (numbers.next()) sum += numbers.integer("value", 0, 9);
class NumberText {
 public:
  /// `name` stands in messages, and outlives this. The text is read from its first byte on, or from
  /// `at` on.
  NumberText(std::string_view text, const std::string& name)
      : NumberText(text, name, text.data() + text.size() - without_byte_order_mark(text).size()) {}
  NumberText(std::string_view text, const std::string& name, const char* at)
      : begin_(text.data()), at_(at), end_(begin_ + text.size()), name_(name) {}

  /// Where the text has been read to, and what comes there.
  const char* at() const { return at_; }
  std::string_view rest() const { return {at_, end_}; }

  /// Goes to the next number; false at the end of the text, or of the line. A comma that has no
  /// number before it is left to be found as a number that is none.
  bool next(bool within_line = false) {
    while (at_ != end_) {
      if (*at_ == '#') {
        at_ = std::find(at_, end_, '\n');
      } else if (*at_ == '\n' ? !within_line : is_white(*at_)) {
        ++at_;
      } else if (*at_ == ',' && behind_number_) {
        ++at_;
        behind_number_ = false;
      } else {
        return *at_ != '\n';
      }
    }
    return false;
  }
  /// The same, where no comma may stand before the number.
  bool next_without_comma() {
    behind_number_ = false;
    return next();
  }

  /// The characters from here to what ends a number; at least one.
  std::string_view token() const { return {at_, std::find_if(at_ + 1, end_, ends_number)}; }

  /// Moves behind the token, which is a number.
  void take_token() {
    at_ += token().size();
    behind_number_ = true;
  }
  /// Moves behind what is no number.
  void skip(std::size_t characters) {
    at_ += characters;
    behind_number_ = false;
  }

  /// Takes an integer from `lowest` to `highest`; `what` names it in messages.
  std::int64_t integer(std::string_view what, std::int64_t lowest, std::int64_t highest) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error == std::errc{} && (stop == end_ || ends_number(*stop)) && value >= lowest &&
        value <= highest) [[likely]] {
      at_ = stop;
      behind_number_ = true;
      return value;
    }
    const NumberToken<std::int64_t> integer = parse_integer(token(), what, lowest, highest);
    if (!integer.problem.empty()) fail(integer.problem);
    take_token();
    return integer.value;
  }

  /// The line of a place in the text, from 1.
  std::int64_t line_of(const char* at) const { return 1 + std::count(begin_, at, '\n'); }

  /// Throws InputError with the line of this place, or of the place to which the text was read.
  [[noreturn]] void fail(const std::string& problem, const char* at) const {
    throw InputError(name_ + ":" + std::to_string(line_of(at)) + ": " + problem);
  }
  [[noreturn]] void fail(const std::string& problem) const { fail(problem, at_); }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
  const std::string& name_;
  bool behind_number_ = false;  ///< and behind no comma
};

}  // namespace bombard
