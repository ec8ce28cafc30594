#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/convolution/chunks.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// Cells first .. first+cells-1 of a layer of `whole` cells. `first` is a multiple of chunk_cells
/// (64), `cells` is any number from 1 up. Slabs may overlap. Of small slabs that exchange states
/// `first` has to be a multiple of group_cells (256): a border lies up to 256 cells from the slab.
struct Slab {
  std::int64_t first, cells, whole;

  bool has_left() const { return first > 0; }
  bool has_right() const { return first + cells < whole; }
};
/// Throws std::invalid_argument for a slab that does not lie in the layer or begins at no chunk.
const Slab& checked(const Slab& slab);

/// The states that the sources on one side of a border give to the cells on the other, one for each
/// exponential.
struct BorderStates {
  std::int64_t border;  ///< stands before this cell of the whole layer; the cell may be outside it
  double longest;       ///< the distance that the exponentials cover: who exchanges has the same
  std::vector<double> energies;
};

/// The states that come in at the left and at the right border of a slab, from slabs on either
/// side.
struct ComingIn {
  std::optional<BorderStates> from_left, from_right;
};

/// The borders of a slab, where states come in, and the exponentials of these states.
struct SlabBorders {
  Slab slab;
  CellRange padded;  ///< between the borders, as cells of the whole layer
  double longest;    ///< as BorderStates has it
  std::span<const double> exponents;
  std::int64_t terms;  ///< the numbers of a state: one for each exponent, and then zeros

  /// The chunk of the slab that begins at a border where states leave: one between its own, a
  /// multiple of 64 cells from them.
  std::int64_t chunk_at(std::int64_t border) const { return (border - padded.begin) / chunk_cells; }
  BorderStates no_states_at(std::int64_t border) const;
  /// States of 0 at the borders where there are neighbours.
  ComingIn nothing_coming_in() const;
  /// Throws std::invalid_argument when states of another exponential sum come in.
  void require(const ComingIn& coming_in) const;
  /// to += the states that `from` has become at to.border, farther from the sources: so states pass
  /// through a slab. Throws std::invalid_argument for another exponential sum's.
  void pass_on(const BorderStates& from, BorderStates& to) const;

 private:
  void require_same_sum(const BorderStates& states) const;
};

}  // namespace bombard
