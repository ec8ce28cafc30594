#pragma once

#include <vector>

#include "sim/engines/engine.hpp"
#include "tools/judge/cases.hpp"

/// The sequential program's rule with what people get wrong about it. Speed does not matter here.
namespace bombard::judge {

/// What a program may do in place of the rule; as it stands, the rule.
struct Deviation {
  enum class Relaxation { of_a_copy, in_place, none, twice, with_ends };
  enum class Peaks { inside, largest_inside_cell, largest_cell, with_ends, with_plateaus };
  enum class Arithmetic { single, root_in_double, all_in_double };
  /// How a layer of parts goes wrong where they meet.
  enum class Borders { right, as_ends, without_peaks, without_new_shares };
  /// Which parts take the cells that are left over when parts are of unequal size.
  enum class LeftOver { to_first_parts, to_last_part, spread };

  bool other_energies = false;   ///< those of the other edition
  bool other_threshold = false;  ///< that of the other edition
  bool threshold = true;
  bool negative_shares = true;
  bool impacts_outside = true;
  Relaxation relaxation = Relaxation::of_a_copy;
  Peaks peaks = Peaks::inside;
  bool larger_position = false;  ///< of equal maxima
  bool layer_kept = true;        ///< from storm to storm
  bool storms_reversed = false;
  Arithmetic arithmetic = Arithmetic::single;
  int parts = 1;
  Borders borders = Borders::right;
  LeftOver left_over = LeftOver::to_first_parts;
};

/// The maximum after each storm as a sequential program with this deviation finds it.
std::vector<Maximum> sequential_maxima(const Case& tried, const Deviation& deviation = {});

}  // namespace bombard::judge
