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

/// Within such a part the ranks may meet, each as often as the others. One that fails comes to the
/// next meeting, tells the others there, and comes to none after it: nor do they. So nobody waits
/// for who does not come. Throws StepFailed where another one has failed.
void meet(Communicator& communicator, bool failed);

/// A part in which the ranks meet, and once more after it.
void do_and_meet(Communicator& communicator, const std::function<void()>& own_part);

}  // namespace bombard
