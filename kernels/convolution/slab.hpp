#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace bombard {

/// Cells first .. first+cells-1 of a layer of `whole` cells. `first` is a multiple of chunk_cells
/// (64), `cells` is any number from 1 up. Slabs may overlap. Of small slabs that exchange states
/// `first` has to be a multiple of group_cells (256): a border lies up to 256 cells from the slab.
struct Slab {
  std::int64_t first, cells, whole;

  bool has_left() const { return first > 0; }
  bool has_right() const { return first + cells < whole; }
};

/// The states that the sources on one side of a border give to the cells on the other: a state for
/// each exponential, of energies and, where they are tracked, of uncertainties.
struct BorderStates {
  std::int64_t border;  ///< stands before this cell of the whole layer; the cell may be outside it
  double longest;       ///< the distance that the exponentials cover: who exchanges has the same
  std::vector<double> energies, uncertainties;
};

/// The states that come in at the left and at the right border of a slab, from slabs on either
/// side.
struct ComingIn {
  std::optional<BorderStates> from_left, from_right;
};

}  // namespace bombard
