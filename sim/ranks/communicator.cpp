#include "sim/ranks/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "bombard/errors.hpp"

namespace bombard {

namespace {

// What a rank reports at a meeting.
constexpr std::uint8_t is_well = 0, has_wrong_input = 1, cannot_run = 2;

}  // namespace

void Communicator::meet() {
  meet(is_well, {});
}

void Communicator::meet(std::uint8_t own, std::string message) {
  if (is_alone()) return;
  std::vector<std::uint8_t> of_ranks(static_cast<std::size_t>(ranks()));
  gather_bytes(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(of_ranks)));
  const auto failed =
      std::ranges::find_if(of_ranks, [](std::uint8_t told) { return told != is_well; });
  if (failed == of_ranks.end()) return;

  all_know_ = true;
  const auto first = static_cast<int>(failed - of_ranks.begin());
  auto size = message.size();
  broadcast_bytes(std::as_writable_bytes(std::span(&size, 1)), first);
  message.resize(size);
  broadcast_bytes(std::as_writable_bytes(std::span(message)), first);
  if (own != is_well) return;
  if (*failed == has_wrong_input) throw InputError(message);
  throw CannotRun(message);
}

void Communicator::broadcast(std::span<std::byte> bytes, int from) {
  meet();
  broadcast_bytes(bytes, from);
}

void Communicator::gather_bytes(std::span<const std::byte> own, std::span<std::byte> all) {
  std::ranges::copy(own, all.begin());
}

void Communicator::gather(std::span<const std::byte> own, std::span<std::byte> all) {
  meet();
  gather_bytes(own, all);
}

void do_together(Communicator& ranks, const std::function<void()>& work) {
  const auto tell = [&](std::uint8_t outcome, const char* why) {
    if (ranks.all_know_) return;
    ranks.meet(outcome, fmt::format("rank {} on {}: {}", ranks.rank(), ranks.host(), why));
  };
  try {
    work();
    ranks.meet();
  } catch (const InputError& error) {
    tell(has_wrong_input, error.what());
    throw;
  } catch (const std::bad_alloc&) {
    tell(cannot_run, "out of memory; take fewer ranks a machine, or more machines");
    throw;
  } catch (const std::exception& error) {
    tell(cannot_run, error.what());
    throw;
  }
}

}  // namespace bombard
