#pragma once

#include <stdexcept>
#include <string>

namespace bombard {

/// The request is sound but this machine cannot serve it: no such device, not enough memory.
/// The message says what is missing and what to do. The program ends with exit code 3.
struct CannotRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bombard
