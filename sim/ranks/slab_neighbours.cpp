#include "sim/ranks/slab_neighbours.hpp"

#include <bit>

namespace bombard {

namespace {

/// States as they cross: the border, the distance that the exponentials cover, and the numbers.
std::vector<double> message_of(const BorderStates& states) {
  std::vector<double> message{std::bit_cast<double>(states.border), states.longest};
  message.insert(message.end(), states.energies.begin(), states.energies.end());
  return message;
}

void send(Communicator& communicator, int to, const BorderStates& states) {
  const std::vector<double> message = message_of(states);
  communicator.send(to, std::as_bytes(std::span(message)));
}

/// Receives the same number of values as `like` has.
BorderStates receive(Communicator& communicator, int from, const BorderStates& like) {
  std::vector<double> message = message_of(like);
  communicator.receive(from, std::as_writable_bytes(std::span(message)));
  return {.border = std::bit_cast<std::int64_t>(message[0]),
          .longest = message[1],
          .energies = {message.begin() + 2, message.end()}};
}

}  // namespace

std::optional<Slab> SlabNeighbours::slab(int rank) const {
  if (rank < 0 || rank >= static_cast<int>(held_.size())) return std::nullopt;
  const Slab& held = held_[static_cast<std::size_t>(rank)];
  return held.cells > 0 ? std::optional(held) : std::nullopt;
}

/// After d steps of doubling `in` has the states that leave d slabs. Slabs that receive anything
/// are the last ones on the way, because margins have the same width everywhere.
void SlabNeighbours::scan(int step, bool (Slab::*receives)() const,
                          const std::optional<BorderStates>& out, const SlabBorders& borders,
                          std::optional<BorderStates>& in) {
  const int rank = communicator_.rank();
  const auto takes_part = [&](int other) {
    const std::optional<Slab> held = slab(other);
    return held && (*held.*receives)();
  };
  if (takes_part(rank + step)) send(communicator_, rank + step, *out);
  if (!takes_part(rank)) return;
  in = receive(communicator_, rank - step, *in);
  for (int far = 1; far < communicator_.ranks(); far *= 2) {
    const int to = rank + far * step, from = rank - far * step;
    if (takes_part(to)) send(communicator_, to, *in);
    if (takes_part(from)) borders.pass_on(receive(communicator_, from, *in), *in);
  }
}

}  // namespace bombard
