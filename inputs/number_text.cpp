#include "inputs/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "bombard/errors.hpp"

namespace bombard {

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
  return fmt::format("{} {} is out of range; it must lie between {} and {}", what, in_quotes(token),
                     lowest, highest);
}

}  // namespace

void NumberText::refuse_integer(std::string_view what, std::int64_t lowest,
                                std::int64_t highest) const {
  std::int64_t value = 0;
  const std::string_view text = token();
  const char* const end = text.data() + text.size();
  if (scan_integer(text.data(), end, value) == end) fail(not_between(what, text, lowest, highest));
  fail(fmt::format("{} {} is not an integer", what, in_quotes(text)));
}

template <class T>
T NumberText::number() {
  const std::string_view text = token();
  const std::size_t plus = text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0;
  const char* const end = text.data() + text.size();
  T value = 0;
  const auto [stop, error] = std::from_chars(text.data() + plus, end, value);
  if (error == std::errc::invalid_argument || stop != end) {
    fail(fmt::format("value {} is not a number", in_quotes(text)));
  }
  if (error == std::errc::result_out_of_range) {
    // Too large, or so close to zero that its nearest value is a subnormal one or zero.
    const std::string copy(text);
    value = std::is_same_v<T, float> ? std::strtof(copy.c_str(), nullptr)
                                     : static_cast<T>(std::strtod(copy.c_str(), nullptr));
    using Limits = std::numeric_limits<T>;
    if (std::isinf(value)) fail(not_between("value", text, Limits::lowest(), Limits::max()));
  }
  if (!is_exact_in_double(text)) {
    fail(fmt::format("value {} has more digits than a 64-bit float holds", in_quotes(text)));
  }
  skip(text.size());
  behind_number_ = true;
  return value;
}
template float NumberText::number();
template double NumberText::number();

std::int64_t NumberText::line_of(const char* at) const {
  std::int64_t line = 1;
  for (const char* c = begin_; c != at; ++c) {
    if (*c == '\n' || (*c == '\r' && (c + 1 == end_ || c[1] != '\n'))) ++line;
  }
  return line;
}

void NumberText::fail(const std::string& problem, const char* at) const {
  throw InputError(fmt::format("{}:{}: {}", name_, line_of(at), problem));
}

}  // namespace bombard
