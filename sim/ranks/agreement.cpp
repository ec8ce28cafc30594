#include "sim/ranks/agreement.hpp"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <new>
#include <string>

#include "bombard/errors.hpp"

namespace bombard {

namespace {

enum class Outcome { done, input_error, cannot_run };

struct Status {
  Outcome outcome = Outcome::done;
  std::int64_t message_bytes = 0;
};

/// What the exception that is being handled means.
Outcome outcome_of_exception(std::string& message) {
  try {
    throw;
  } catch (const InputError& error) {
    message = error.what();
    return Outcome::input_error;
  } catch (const CannotRun& error) {
    message = error.what();
  } catch (const std::bad_alloc&) {
    message = "out of memory; take fewer ranks a machine, or more machines";
  } catch (const std::exception& error) {
    message = fmt::format("unexpected error, please report it: {}", error.what());
  }
  return Outcome::cannot_run;
}

std::string received_message(Communicator& communicator, int rank, std::int64_t bytes) {
  std::string message(static_cast<std::size_t>(bytes), '\0');
  communicator.receive(rank, std::as_writable_bytes(std::span(message)));
  return message;
}

}  // namespace

void do_together(Communicator& communicator, const std::function<void()>& own_part) {
  Outcome outcome = Outcome::done;
  std::string message;
  std::exception_ptr own_failure;
  try {
    own_part();
  } catch (const std::exception&) {
    own_failure = std::current_exception();
    outcome = outcome_of_exception(message);
    message = fmt::format("rank {} on {}: {}", communicator.rank(), communicator.host(), message);
  }
  const auto statuses =
      gather(communicator, Status{outcome, static_cast<std::int64_t>(message.size())});
  if (communicator.rank() != 0 && own_failure) {
    communicator.send(0, std::as_bytes(std::span(message)));
  }
  Outcome first = outcome;
  for (int rank = 1; rank < static_cast<int>(statuses.size()); ++rank) {
    const Status& status = statuses[static_cast<std::size_t>(rank)];
    if (status.outcome == Outcome::done) continue;
    const std::string text = received_message(communicator, rank, status.message_bytes);
    if (first != Outcome::done) continue;
    first = status.outcome;
    message = text;
  }
  broadcast(communicator, first);
  if (first == Outcome::done) return;
  if (communicator.rank() != 0) throw StepFailed("a rank failed");
  if (own_failure) std::rethrow_exception(own_failure);
  if (first == Outcome::input_error) throw InputError(message);
  throw CannotRun(message);
}

void meet(Communicator& communicator, bool failed) {
  const int failures = of_all_ranks(communicator, failed ? 1 : 0, std::plus<>());
  if (failures > 0 && !failed) throw StepFailed("a rank failed");
}

void do_and_meet(Communicator& communicator, const std::function<void()>& own_part) {
  do_together(communicator, [&] {
    try {
      own_part();
      meet(communicator, false);
    } catch (const StepFailed&) {
      return;  // who failed says why
    } catch (...) {
      meet(communicator, true);
      throw;
    }
  });
}

}  // namespace bombard
