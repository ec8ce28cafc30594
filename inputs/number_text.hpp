#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "inputs/token.hpp"

namespace bombard {

/// Whether a number of a text ends before this character.
inline bool ends_number(char c) {
  return is_white(c) || c == ',' || c == '#';
}

/// A text of numbers (docs/formats.md), read from front to back. Between the numbers stand white
/// space, comments from # to the end of the line, and one comma behind a number. A line ends with a
/// line feed, a carriage return, or both.
///
///   NumberText numbers(file.content(), file.name());
///   while (numbers.next()) sum += numbers.integer("value", 0, 9);
class NumberText {
 public:
  /// `name` appears in messages, and must outlive this. A byte order mark of UTF-8 is skipped.
  NumberText(std::string_view text, const std::string& name)
      : begin_(text.data()),
        at_(without_byte_order_mark(text).data()),
        end_(begin_ + text.size()),
        name_(name) {}

  /// Where the text has been read to, and what comes there.
  const char* at() const { return at_; }
  std::string_view rest() const { return {at_, end_}; }
  std::string_view rest_of_line() const { return {at_, end_of_line()}; }
  /// Whether a line begins there.
  bool begins_line() const { return at_ == begin_ || ends_line(at_[-1]); }

  /// Goes to the next number; false at the end of the text, or of the line. A comma that has no
  /// number before it is left there, to be refused as not being a number.
  bool next(bool within_line = false) {
    while (at_ != end_) {
      if (*at_ == '#') {
        skip_line();
      } else if (ends_line(*at_) ? !within_line : is_white(*at_)) {
        ++at_;
      } else if (*at_ == ',' && behind_number_) {
        ++at_;
        behind_number_ = false;
      } else {
        return !ends_line(*at_);
      }
    }
    return false;
  }

  /// The characters from here up to one that ends a number; at least one.
  std::string_view token() const { return {at_, std::find_if(at_ + 1, end_, ends_number)}; }

  /// Moves past characters that are not a number.
  void skip(std::size_t characters) {
    at_ += characters;
    behind_number_ = false;
  }

  /// Moves to the end of the line.
  void skip_line() { at_ = end_of_line(); }

  /// Reads an integer from `lowest` to `highest`; `what` names it in messages.
  std::int64_t integer(std::string_view what, std::int64_t lowest, std::int64_t highest) {
    std::int64_t value = 0;
    const char* const stop = scan_integer(at_, end_, value);
    const bool is_one = stop != nullptr && (stop == end_ || ends_number(*stop));
    if (!is_one || value < lowest || value > highest) refuse_integer(what, lowest, highest);
    at_ = stop;
    behind_number_ = true;
    return value;
  }

  /// Reads a decimal number as C writes them, T float or double, rounded once; also inf and nan. An
  /// integer must be exact in double.
  template <class T>
  T number();

  /// The line of a place in the text, from 1.
  std::int64_t line_of(const char* at) const;

  /// Throws InputError with the line of this place, or of the place to which the text was read.
  [[noreturn]] void fail(const std::string& problem, const char* at) const;
  [[noreturn]] void fail(const std::string& problem) const { fail(problem, at_); }

 private:
  [[noreturn]] void refuse_integer(std::string_view what, std::int64_t lowest,
                                   std::int64_t highest) const;

  /// Reads the integer with an optional sign that begins at `at`; one beyond 64 bits gives the
  /// nearest one of 64 bits. Returns its end; nullptr if none begins there.
  static const char* scan_integer(const char* at, const char* end, std::int64_t& value) {
    using Limits = std::numeric_limits<std::int64_t>;
    if (end - at > 1 && *at == '+' && at[1] != '-') ++at;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error == std::errc::result_out_of_range) value = *at == '-' ? Limits::min() : Limits::max();
    return error == std::errc::invalid_argument ? nullptr : stop;
  }

  const char* end_of_line() const { return std::find_if(at_, end_, ends_line); }

  const char* begin_;
  const char* at_;
  const char* end_;
  const std::string& name_;
  bool behind_number_ = false;  ///< and behind no comma
};

}  // namespace bombard
