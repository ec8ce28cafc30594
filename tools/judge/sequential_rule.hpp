#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engines/engine.hpp"
#include "tools/judge/cases.hpp"

/// The sequential program's rule with what people get wrong about it. Speed does not matter here.
namespace bombard::judge {

/// The deviations of a program from the rule; by default there is none.
struct Deviation {
  enum class Relaxation { of_a_copy, in_place, none, twice, with_ends };
  enum class Peaks { inside, largest_inside_cell, largest_cell, with_ends, with_plateaus };
  enum class Arithmetic { single, root_in_double, all_in_double };
  /// How a layer of parts goes wrong where they meet: their cells are neither relaxed nor a
  /// maximum; the last cell of a part is not relaxed; no maximum; neighbours from before the storm,
  /// or from one cell too far.
  enum class Borders {
    right,
    as_ends,
    last_not_relaxed,
    without_peaks,
    without_new_shares,
    one_too_far
  };
  /// Which parts take the cells that are left over when parts are of unequal size. Dropped ones
  /// stay 0; the last cell before them is relaxed with a 0 beside it, or is the layer's end.
  enum class LeftOver { to_first_parts, to_last_part, spread, dropped, dropped_behind_end };
  /// The position that stands beside the maximum of all parts: its own, the largest one of the
  /// parts' maxima, or the one in the first part.
  enum class Reduction { together, position_apart, position_of_first_part };
  /// The values that a storm takes over from the one before it: the position that it prints, or the
  /// one with which it begins to search, alone or with its maximum.
  enum class Kept { nothing, printed_position, position, maximum };

  bool other_energies = false;   ///< energies of the other edition
  bool other_threshold = false;  ///< threshold of the other edition
  bool threshold = true;
  bool negative_shares = true;
  bool impacts_outside = true;
  Relaxation relaxation = Relaxation::of_a_copy;
  Peaks peaks = Peaks::inside;
  bool larger_position = false;  ///< of equal maxima
  Maximum no_peak = {};          ///< what a search begins with, and gives where there is no peak
  bool layer_kept = true;        ///< from storm to storm
  Kept kept = Kept::nothing;
  bool storms_reversed = false;
  Arithmetic arithmetic = Arithmetic::single;
  int parts = 1;
  Borders borders = Borders::right;
  LeftOver left_over = LeftOver::to_first_parts;
  Reduction reduction = Reduction::together;
};

/// Both deviations at once; none where one contradicts the other.
std::optional<Deviation> both(const Deviation& one, const Deviation& other);

/// The maximum after each storm as a sequential program with this deviation finds it.
std::vector<Maximum> sequential_maxima(const Case& tried, const Deviation& deviation = {});

}  // namespace bombard::judge
