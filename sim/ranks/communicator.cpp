#include "sim/ranks/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "bombard/errors.hpp"

namespace bombard {

namespace {

// What a rank reports at a meeting.
constexpr std::uint8_t is_well = 0, has_wrong_input = 1, cannot_run = 2;

/// What a rank reports about the exception that is being handled, and its message.
std::pair<std::uint8_t, std::string> failure() {
  try {
    throw;
  } catch (const InputError& error) {
    return {has_wrong_input, error.what()};
  } catch (const CannotRun& error) {
    return {cannot_run, error.what()};
  } catch (const std::bad_alloc&) {
    return {cannot_run, "out of memory; take fewer ranks a machine, or more machines"};
  } catch (const std::exception& error) {
    return {cannot_run, fmt::format("unexpected error, please report it: {}", error.what())};
  }
}

}  // namespace

void Communicator::meet() {
  meet(is_well, {});
}

void Communicator::meet(std::uint8_t own, std::string message) {
  if (is_alone()) return;
  std::vector<std::uint8_t> of_ranks(static_cast<std::size_t>(ranks()));
  gather_bytes(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(of_ranks)));
  const auto first =
      std::ranges::find_if(of_ranks, [](std::uint8_t told) { return told != is_well; });
  if (first == of_ranks.end()) return;

  failed_ = static_cast<int>(first - of_ranks.begin());
  auto size = static_cast<std::int64_t>(message.size());
  broadcast_bytes(std::as_writable_bytes(std::span(&size, 1)), failed_);
  message.resize(static_cast<std::size_t>(size));
  broadcast_bytes(std::as_writable_bytes(std::span(message)), failed_);
  if (*first == has_wrong_input) throw InputError(message);
  throw CannotRun(message);
}

Communicator& Communicator::alone() {
  static Communicator one_process;
  return one_process;
}

void Communicator::broadcast(std::span<std::byte> bytes, int from) {
  if (is_alone()) return;
  meet();
  broadcast_bytes(bytes, from);
}

void Communicator::gather_bytes(std::span<const std::byte> own, std::span<std::byte> all) {
  std::ranges::copy(own, all.begin());
}

void Communicator::gather(std::span<const std::byte> own, std::span<std::byte> all) {
  if (is_alone()) return gather_bytes(own, all);
  meet();
  gather_bytes(own, all);
}

void do_together(Communicator& communicator, const std::function<void()>& work) {
  communicator.failed_ = Communicator::none;
  try {
    work();
    communicator.meet();
  } catch (const std::exception&) {
    if (communicator.failed_ != Communicator::none) throw;  // another rank's failure
    const auto [outcome, message] = failure();
    try {
      communicator.meet(outcome, fmt::format("rank {} on {}: {}", communicator.rank(),
                                             communicator.host(), message));
    } catch (const std::exception&) {
      if (communicator.failed_ != communicator.rank()) throw;
    }
    throw;
  }
}

}  // namespace bombard
