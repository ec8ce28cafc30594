#pragma once

#include <charconv>
#include <limits>

#include "inputs/output_file.hpp"

namespace bombard {

/// The number; a NaN without its sign, which means nothing and differs between CPUs.
template <class Number>
Number without_sign_of_nan(Number number) {
  return number != number ? std::numeric_limits<Number>::quiet_NaN() : number;
}

/// Writes a line of numbers with `between` between them, every one with the fewest digits that give
/// it back.
template <char between = ' ', class... Numbers>
void write_line(OutputFile& file, Numbers... numbers) {
  constexpr std::size_t longest = 32;  // a double takes 24
  char line[sizeof...(numbers) * longest];
  char* at = line;
  const auto append = [&](auto number) {
    at = std::to_chars(at, at + longest - 1, without_sign_of_nan(number)).ptr;
    *at++ = between;
  };
  (append(numbers), ...);
  at[-1] = '\n';
  file.write({line, at});
}

}  // namespace bombard
