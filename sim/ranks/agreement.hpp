#pragma once

#include <functional>
#include <stdexcept>

#include "sim/ranks/communicator.hpp"

namespace bombard {

/// Thrown on the ranks that only need to know that a step failed: rank 0 throws the reason.
struct StepFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Every rank does its part of a step, and all of them learn whether one failed. Then rank 0 throws
/// what its own part threw, or else InputError or CannotRun with the message of the first rank that
/// failed and its machine; the others throw StepFailed.
void do_together(Communicator& communicator, const std::function<void()>& own_part);

}  // namespace bombard
