#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/convolution/chunks.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// Cells first .. first+cells-1 of a layer of `whole` cells. `first` is a multiple of chunk_cells
/// (64); `cells` is any number from 1 up. Slabs may overlap. If small slabs exchange states,
/// `first` has to be a multiple of group_cells (256): a border lies up to 256 cells from the slab.
struct Slab {
  std::int64_t first, cells, whole;

  bool has_left() const { return first > 0; }
  bool has_right() const { return first + cells < whole; }
};
/// Throws std::invalid_argument if the slab does not lie in the layer or begin at a chunk.
const Slab& checked(const Slab& slab);

/// The states that the sources on one side of a border give to the cells on the other side, one for
/// each exponential.
struct BorderStates {
  std::int64_t border;  ///< lies before this cell of the whole layer, which may be outside it
  double longest;       ///< the distance that the exponentials cover, the same for both neighbours
  std::vector<double> energies;
};

/// The states that come in at the left and the right border of a slab, from the slabs on that side.
struct ComingIn {
  std::optional<BorderStates> from_left, from_right;
};

/// The borders of a slab, where states come in, and the exponentials of these states.
struct SlabBorders {
  Slab slab;
  CellRange padded;  ///< between the borders, as cells of the whole layer
  double longest;    ///< as in BorderStates
  std::span<const double> exponents;
  std::int64_t terms;  ///< the numbers in a state: one for each exponent, and then zeros

  /// The chunk of the slab that begins at a border where states leave. Such a border lies between
  /// the slab's own borders, a multiple of 64 cells from them.
  std::int64_t chunk_at(std::int64_t border) const { return (border - padded.begin) / chunk_cells; }
  BorderStates no_states_at(std::int64_t border) const;
  /// Zero states at the borders where there are neighbours.
  ComingIn nothing_coming_in() const;
  /// Throws std::invalid_argument if states of another exponential sum come in.
  void require(const ComingIn& coming_in) const;
  /// to += what the states `from` become at to.border, farther from the sources: this is how states
  /// pass through a slab. Throws std::invalid_argument for states of another exponential sum.
  void pass_on(const BorderStates& from, BorderStates& to) const;

 private:
  void require_same_sum(const BorderStates& states) const;
};

}  // namespace bombard
