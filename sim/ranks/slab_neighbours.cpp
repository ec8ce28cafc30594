#include "sim/ranks/slab_neighbours.hpp"

#include <cstring>

namespace bombard {

namespace {

// States as they cross: the border, the distance that the exponentials cover, and the numbers.
constexpr std::size_t head_bytes = sizeof(std::int64_t) + sizeof(double);

std::vector<std::byte> room_for(const BorderStates& states) {
  const std::size_t numbers = states.energies.size() + states.uncertainties.size();
  return std::vector<std::byte>(head_bytes + numbers * sizeof(double));
}

/// Calls move(place in the message, address of the thing, bytes) for all that crosses.
template <class States, class Move>
void each_thing(States& states, const Move& move) {
  std::size_t at = 0;
  const auto next = [&](auto* thing, std::size_t count) {
    move(at, thing, count * sizeof *thing);
    at += count * sizeof *thing;
  };
  next(&states.border, 1);
  next(&states.longest, 1);
  next(states.energies.data(), states.energies.size());
  next(states.uncertainties.data(), states.uncertainties.size());
}

void send(Communicator& communicator, int to, const BorderStates& states) {
  std::vector<std::byte> message = room_for(states);
  each_thing(states, [&](std::size_t at, const void* thing, std::size_t bytes) {
    if (bytes > 0) std::memcpy(message.data() + at, thing, bytes);
  });
  communicator.send(to, message);
}

/// As many as `like` has.
BorderStates receive(Communicator& communicator, int from, const BorderStates& like) {
  std::vector<std::byte> message = room_for(like);
  communicator.receive(from, message);
  BorderStates states = like;
  each_thing(states, [&](std::size_t at, void* thing, std::size_t bytes) {
    if (bytes > 0) std::memcpy(thing, message.data() + at, bytes);
  });
  return states;
}

}  // namespace

std::optional<Slab> SlabNeighbours::slab(int rank) const {
  if (rank < 0 || rank >= static_cast<int>(held_.size())) return std::nullopt;
  const Slab& held = held_[static_cast<std::size_t>(rank)];
  return held.cells > 0 ? std::optional(held) : std::nullopt;
}

/// After d steps of doubling `in` has what leaves d slabs. Those that receive anything are the last
/// ones on the way, for margins are as wide everywhere.
void SlabNeighbours::scan(int step, const std::function<bool(const Slab&)>& receives,
                          const std::optional<BorderStates>& out, const PassOn& pass_on,
                          std::optional<BorderStates>& in) {
  const int rank = communicator_.rank();
  const auto takes_part = [&](int other) {
    const std::optional<Slab> held = slab(other);
    return held && receives(*held);
  };
  if (takes_part(rank + step)) send(communicator_, rank + step, *out);
  if (!takes_part(rank)) return;
  in = receive(communicator_, rank - step, *in);
  for (int far = 1; far < communicator_.ranks(); far *= 2) {
    const int to = rank + far * step, from = rank - far * step;
    if (takes_part(to)) send(communicator_, to, *in);
    if (takes_part(from)) pass_on(receive(communicator_, from, *in), *in);
  }
}

void SlabNeighbours::begin(std::span<const WholeStorm> storms) {
  storms_.clear();
  for (const WholeStorm& storm : storms) storms_.push_back(storm.extent);
  exchanged_ = 0;
}

void SlabNeighbours::exchange_nothing() {
  communicator_.meet();
  ++exchanged_;
}

void SlabNeighbours::exchange_nothing(std::size_t storms) {
  for (std::size_t i = 0; i < storms; ++i) exchange_nothing();
}

void SlabNeighbours::exchange(const GoingOut& out, const PassOn& pass_on, ComingIn& in) {
  communicator_.meet();
  scan(1, &Slab::has_left, out.to_right, pass_on, in.from_left);
  scan(-1, &Slab::has_right, out.to_left, pass_on, in.from_right);
  ++exchanged_;
}

}  // namespace bombard
