#pragma once

#include <span>
#include <stdexcept>
#include <string_view>

namespace bombard::fuzz {

/// A parser: check(input) does not crash, and throws NotSo where what was read and written again is
/// not read as the same. Its corpus is tests/fuzz/corpus/NAME.
struct Target {
  std::string_view name;
  void (*check)(std::string_view input);
};

std::span<const Target> targets();

/// No one catches it in a program of libFuzzer, which keeps the input.
struct NotSo : std::logic_error {
  using std::logic_error::logic_error;
};

}  // namespace bombard::fuzz
