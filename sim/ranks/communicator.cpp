#include "sim/ranks/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "bombard/errors.hpp"

namespace bombard {

/// The failure of a rank; thrown itself where another rank failed, until do_together() says it as
/// an error of this one.
struct Communicator::Failure {
  enum class Outcome : std::uint8_t { done, input_error, cannot_run };

  Outcome outcome = Outcome::done;
  int rank = 0;
  std::string message = {};

  /// The failure of the exception that is being handled.
  static Failure caught_on(const Communicator& communicator) {
    const auto failure = [&](Outcome outcome, const std::string& message) {
      return Failure{
          outcome, communicator.rank(),
          fmt::format("rank {} on {}: {}", communicator.rank(), communicator.host(), message)};
    };
    try {
      throw;
    } catch (const InputError& error) {
      return failure(Outcome::input_error, error.what());
    } catch (const CannotRun& error) {
      return failure(Outcome::cannot_run, error.what());
    } catch (const std::bad_alloc&) {
      return failure(Outcome::cannot_run,
                     "out of memory; take fewer ranks a machine, or more machines");
    } catch (const std::exception& error) {
      return failure(Outcome::cannot_run,
                     fmt::format("unexpected error, please report it: {}", error.what()));
    }
  }

  [[noreturn]] void throw_error() const {
    if (outcome == Outcome::input_error) throw InputError(message);
    throw CannotRun(message);
  }
};

void Communicator::meet() {
  meet(Failure{});
}

void Communicator::meet(const Failure& own) {
  if (is_alone()) return;
  using Outcome = Failure::Outcome;
  std::vector<Outcome> outcomes(static_cast<std::size_t>(ranks()));
  gather_bytes(std::as_bytes(std::span(&own.outcome, 1)),
               std::as_writable_bytes(std::span(outcomes)));
  bytes_moved_ += ranks();
  const auto first = std::ranges::find_if(
      outcomes, [](const Outcome outcome) { return outcome != Outcome::done; });
  if (first == outcomes.end()) return;

  Failure failure{*first, static_cast<int>(first - outcomes.begin()), own.message};
  auto size = static_cast<std::int64_t>(failure.message.size());
  const auto tell_all = [&](std::span<std::byte> bytes) {
    if (failure.rank != 0 && rank() == failure.rank) move_bytes(0, bytes, 0, {});
    if (failure.rank != 0 && is_first()) move_bytes(failure.rank, {}, failure.rank, bytes);
    broadcast_bytes(bytes);
  };
  tell_all(std::as_writable_bytes(std::span(&size, 1)));
  failure.message.resize(static_cast<std::size_t>(size));
  tell_all(std::as_writable_bytes(std::span(failure.message)));
  throw failure;
}

Communicator& Communicator::alone() {
  static Communicator one_process;
  return one_process;
}

void Communicator::broadcast(std::span<std::byte> bytes) {
  if (is_alone()) return;
  meet();
  broadcast_bytes(bytes);
  bytes_moved_ += static_cast<std::int64_t>(bytes.size());
}

void Communicator::gather_bytes(std::span<const std::byte> own, std::span<std::byte> all) {
  std::ranges::copy(own, all.begin());
}

void Communicator::gather(std::span<const std::byte> own, std::span<std::byte> all) {
  if (is_alone()) return gather_bytes(own, all);
  meet();
  gather_bytes(own, all);
  bytes_moved_ += static_cast<std::int64_t>(all.size());
}

void Communicator::send(int to, std::span<const std::byte> bytes) {
  move_bytes(to, bytes, to, {});
  bytes_moved_ += static_cast<std::int64_t>(bytes.size());
}

void Communicator::receive(int from, std::span<std::byte> bytes) {
  move_bytes(from, {}, from, bytes);
  bytes_moved_ += static_cast<std::int64_t>(bytes.size());
}

// Pair by pair, as MPI_Alltoallv does with long messages; that one counts in int.
void Communicator::exchange(const std::vector<std::span<const std::byte>>& to,
                            const std::vector<std::span<std::byte>>& from) {
  meet();
  const int own = rank();
  const auto number = [&](int rank) {
    return static_cast<std::size_t>((rank + ranks()) % ranks());
  };
  std::ranges::copy(to[number(own)], from[number(own)].begin());
  for (int far = 1; far < ranks(); ++far) {
    const std::size_t next = number(own + far), last = number(own - far);
    move_bytes(static_cast<int>(next), to[next], static_cast<int>(last), from[last]);
    bytes_moved_ += static_cast<std::int64_t>(to[next].size() + from[last].size());
  }
}

void broadcast(Communicator& communicator, std::string& text) {
  auto size = static_cast<std::int64_t>(text.size());
  broadcast(communicator, size);
  text.resize(static_cast<std::size_t>(size));
  communicator.broadcast(std::as_writable_bytes(std::span(text)));
}

void do_together(Communicator& communicator, const std::function<void()>& work) {
  try {
    work();
    communicator.meet();
  } catch (const Communicator::Failure& of_another) {
    of_another.throw_error();
  } catch (const std::exception&) {
    try {
      communicator.meet(Communicator::Failure::caught_on(communicator));
    } catch (const Communicator::Failure& first) {
      if (first.rank != communicator.rank()) first.throw_error();
    }
    throw;
  }
}

}  // namespace bombard
