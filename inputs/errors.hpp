#pragma once

#include <stdexcept>
#include <string>

namespace bombard {

/// What the user gave is wrong: an option, a file's content. The message names the place
/// (file:line), the value, why it is wrong and what to do. The program ends with exit code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bombard
