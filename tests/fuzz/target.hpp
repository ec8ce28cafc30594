#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

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
inline void expect(bool met, const std::string& what) {
  if (!met) throw NotSo("not so: " + what);
}

/// The name of the text for the parsers.
inline const std::string name = "input";

/// What an oracle says of a text: what it holds; or the lines that its error may name, 0 for none.
/// Rows of an array count as lines.
template <class T>
struct Verdict {
  T value = {};
  std::set<std::int64_t> error_lines = {};
};

/// What read() makes of a text that is right; nothing where it refuses one that is wrong.
template <class T, class Read>
auto read_as(const Verdict<T>& verdict, const Read& read) {
  std::optional<std::invoke_result_t<Read>> found;
  try {
    found = read();
  } catch (const InputError& error) {
    expect(std::string_view(error.what()).starts_with("input:"), "an error names the file");
    long long line = 0, row;
    std::sscanf(error.what(), "input:%lld", &line);
    if (std::sscanf(error.what(), "input: row %lld", &row) == 1) line = row + 1;
    expect(verdict.error_lines.contains(line), error.what());
    return found;
  }
  expect(verdict.error_lines.empty(), "what is accepted is right");
  return found;
}

}  // namespace bombard::fuzz
