#pragma once

#include <string_view>

#include "kernels/base/registry.hpp"

namespace bombard::fuzz {

/// A parser and its oracle: check(input) throws where the parser does not do what the oracle says.
/// `const Registered target{Target{"npy", check}}` at the end of a file makes it known.
struct Target {
  const char* name;
  void (*check)(std::string_view input);
};

}  // namespace bombard::fuzz
