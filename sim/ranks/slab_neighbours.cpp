#include "sim/ranks/slab_neighbours.hpp"

#include <bit>
#include <span>

namespace bombard {

/// States are sent as the border, the distance that the exponentials cover, and the energies.
ComingIn SlabNeighbours::coming_in(const SlabBorders& borders, const BorderStates& to_left,
                                   const BorderStates& to_right) const {
  std::vector<double> own;
  for (const BorderStates* const states : {&to_left, &to_right}) {
    own.insert(own.end(), {std::bit_cast<double>(states->border), states->longest});
    own.insert(own.end(), states->energies.begin(), states->energies.end());
  }
  std::vector<double> all(own.size() * held_.size());
  communicator_.gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
  const auto left_by = [&](int rank, bool to_its_right) {
    const std::size_t size = own.size() / 2;
    const double* const states = &all[(2 * static_cast<std::size_t>(rank) + to_its_right) * size];
    return BorderStates{
        std::bit_cast<std::int64_t>(states[0]), states[1], {states + 2, states + size}};
  };

  // A slab at an end of the layer has all the sources behind it: those of the next one, too.
  ComingIn in = borders.nothing_coming_in();
  bool more = in.from_left.has_value();
  for (int rank = communicator_.rank() - 1; more; --rank) {
    borders.pass_on(left_by(rank, true), *in.from_left);
    more = held_[static_cast<std::size_t>(rank)].has_left();
  }
  more = in.from_right.has_value();
  for (int rank = communicator_.rank() + 1; more; ++rank) {
    borders.pass_on(left_by(rank, false), *in.from_right);
    more = held_[static_cast<std::size_t>(rank)].has_right();
  }
  return in;
}

}  // namespace bombard
