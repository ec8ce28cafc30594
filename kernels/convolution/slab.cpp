#include "kernels/convolution/slab.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "kernels/convolution/chunks.hpp"

namespace bombard {

const Slab& checked(const Slab& slab) {
  if (slab.first < 0 || slab.first % chunk_cells != 0 || slab.cells < 1 ||
      slab.first + slab.cells > slab.whole) {
    throw std::invalid_argument(
        fmt::format("a slab of {} cells from {} on: it has to lie in the layer of {} and to begin "
                    "at a multiple of {}",
                    slab.cells, slab.first, slab.whole, chunk_cells));
  }
  return slab;
}

BorderStates SlabBorders::no_states_at(std::int64_t border) const {
  return {border, longest, std::vector<double>(static_cast<std::size_t>(terms))};
}

ComingIn SlabBorders::nothing_coming_in() const {
  ComingIn in;
  if (slab.has_left()) in.from_left = no_states_at(padded.begin);
  if (slab.has_right()) in.from_right = no_states_at(padded.end);
  return in;
}

void SlabBorders::require_same_sum(const BorderStates& states) const {
  if (states.longest != longest || std::ssize(states.energies) != terms) {
    throw std::invalid_argument(
        fmt::format("{} states of exponentials up to a distance of {} come in where {} up to {} "
                    "are: cover() makes them the same",
                    states.energies.size(), states.longest, terms, longest));
  }
}

void SlabBorders::require(const ComingIn& coming_in) const {
  if (coming_in.from_left) require_same_sum(*coming_in.from_left);
  if (coming_in.from_right) require_same_sum(*coming_in.from_right);
}

void SlabBorders::pass_on(const BorderStates& from, BorderStates& to) const {
  require_same_sum(from);
  require_same_sum(to);
  const double cells = std::fabs(static_cast<double>(to.border - from.border));
  for (std::size_t t = 0; t < exponents.size(); ++t) {
    to.energies[t] += from.energies[t] * std::exp(-exponents[t] * cells);
  }
}

}  // namespace bombard
