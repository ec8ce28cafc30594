#pragma once

#include <stdexcept>

namespace bombard {

/// An option or the content of a file is wrong. The message names the place (file:line) or the
/// setting by its plain word (threads, cells-at), the value, why it is wrong and what to do. The
/// program ends with exit code 2.
struct [[gnu::visibility("default")]] InputError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The request is sound but this machine cannot serve it: no such device, not enough memory.
/// The message says what is missing and what to do. The program ends with exit code 3.
struct [[gnu::visibility("default")]] CannotRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bombard
