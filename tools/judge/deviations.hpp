#pragma once

#include <set>
#include <vector>

#include "sim/engines/engine.hpp"
#include "tools/judge/cases.hpp"

/// The sequential program's rule with what people get wrong about it. Speed does not matter here.
namespace bombard::judge {

/// The ways in which a program may deviate from the rule.
enum class Deviation {
  energies_of_other_edition,
  threshold_of_other_edition,
  no_threshold,
  no_negative_shares,
  no_impacts_outside,
  layer_not_kept,
  storms_reversed,
  larger_position,  ///< of equal maxima
  // Relaxation
  relaxation_in_place,
  no_relaxation,
  relaxed_twice,
  relaxation_not_kept,  ///< the maximum is the relaxed layer's, which the next storm does not find
  ends_relaxed,
  // Cells that may be the maximum
  largest_cell,
  largest_inside_cell,
  ends_as_peaks,
  plateaus_as_peaks,
  plateau_ends_as_peaks,
  // Results of a storm without a peak: position -1, with 0, -1 or the lowest float; position 0, and
  // -1
  minus_one_without_peak,
  minus_ones_without_peak,
  lowest_without_peak,
  maximum_minus_one_without_peak,
  position_not_set,
  // Values from the storm before: the position that is printed, or the one with which the search
  // begins, alone or with its maximum
  printed_position_kept,
  position_kept,
  maximum_kept,
  // Arithmetic
  root_in_double,
  all_in_double,
  storm_summed_apart,
  // Borders between parts of the layer: they are ends; the last cell before one is not relaxed; no
  // peaks there, or peaks that look at the neighbour of their own part alone, or at the other
  // part's before it is relaxed; neighbours from before the storm, or from one cell too far
  borders_as_ends,
  last_not_relaxed,
  no_peaks_at_borders,
  peaks_beside_one_neighbour,
  peaks_beside_one_not_relaxed,
  old_neighbours,
  neighbours_too_far,
  // The parts that take the cells left over when parts are of unequal size; without one of these,
  // the last part does. Dropped cells stay 0; the last cell before them is relaxed with a 0 beside
  // it, or is the layer's end.
  first_parts_larger,
  last_part_larger,
  larger_parts_spread,
  left_over_dropped,
  left_over_dropped_behind_end,
  // The position beside the maximum of all parts: the largest one of the parts' maxima, or the one
  // in the first part
  position_reduced_apart,
  position_of_first_part,
};

/// The maximum after each storm as a sequential program finds it that has the layer in `parts`, and
/// these deviations.
std::vector<Maximum> maxima_with(const Case& tried, const std::set<Deviation>& deviations = {},
                                 int parts = 1);

}  // namespace bombard::judge
