#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bombard/errors.hpp"

namespace bombard::fuzz {

/// Ends the program where a parser does not do what its oracle says; libFuzzer keeps the input.
inline void expect(bool met, const char* what) {
  if (met) return;
  std::fprintf(stderr, "fuzz: not so: %s\n", what);
  std::abort();
}

/// The name of the text for the parsers.
inline const std::string name = "input";

/// The line that an error names, `input:17: ...`; 0 when it names only the file.
inline std::int64_t line_of(const InputError& error, const std::string& file = name) {
  const std::string_view message = error.what();
  expect(message.starts_with(file + ":"), "an error names the file");
  std::int64_t line = 0;
  const char* const begin = message.data() + file.size() + 1;
  std::from_chars(begin, message.data() + message.size(), line);
  return line;
}

/// Whether an input is one of the few that also go through files, which takes far longer.
inline bool takes_the_long_way(std::string_view input) {
  unsigned sum = 0;
  for (const char c : input) sum = 31 * sum + static_cast<unsigned char>(c);
  return sum % 32 == 0;
}

}  // namespace bombard::fuzz
