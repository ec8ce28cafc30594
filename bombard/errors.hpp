#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "bombard/messages.hpp"

namespace bombard {

/// An error whose message names settings: what() has the words of C++, and worded(message(), ...)
/// those of any front door.
template <class Standard>
class [[gnu::visibility("default")]] Error : public Standard {
 public:
  explicit Error(const std::string& message)
      : Standard(worded(message, FrontDoor::library)),
        message_(std::make_shared<const std::string>(message)) {}

  const std::string& message() const noexcept {
    return *message_;
  }

 private:
  std::shared_ptr<const std::string> message_;  // exceptions are copied without an exception
};

/// An option or the content of a file is wrong. The message names the place (file:line), the value,
/// why it is wrong and what to do. The program ends with exit code 2.
struct [[gnu::visibility("default")]] InputError : Error<std::invalid_argument> {
  using Error::Error;
};

/// The request is sound but this machine cannot serve it: no such device, not enough memory.
/// The message says what is missing and what to do. The program ends with exit code 3.
struct [[gnu::visibility("default")]] CannotRun : Error<std::runtime_error> {
  using Error::Error;
};

}  // namespace bombard
