#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bombard/errors.hpp"
#include "kernels/base/registry.hpp"

namespace bombard::fuzz {

/// A parser and its oracle: check(input) throws where the parser does not do what the oracle says.
/// `const Registered target{Target{"npy", check}}` at the end of a file makes it known.
struct Target {
  const char* name;
  void (*check)(std::string_view input);
};

/// Where a parser does not do what its oracle says. No one catches it in a program of libFuzzer,
/// which keeps the input.
struct NotSo : std::logic_error {
  using std::logic_error::logic_error;
};
inline void expect(bool met, const char* what) {
  if (!met) throw NotSo(std::string("not so: ") + what);
}

/// The name of the text for the parsers.
inline const std::string name = "input";

/// The line that an error names, `input:17: ...`; 0 when it names only the file.
inline std::int64_t line_of(const InputError& error) {
  const std::string_view message = error.what();
  expect(message.starts_with(name + ":"), "an error names the file");
  std::int64_t line = 0;
  const char* const begin = message.data() + name.size() + 1;
  std::from_chars(begin, message.data() + message.size(), line);
  return line;
}

}  // namespace bombard::fuzz
