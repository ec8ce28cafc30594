#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "bombard/maximum.hpp"
#include "tools/judge/cases.hpp"

/// The sequential program's rule with what people get wrong about it. Speed does not matter here.
namespace bombard::judge {

/// A way in which a program may deviate from the rule.
struct DeviationRow {
  std::string_view word;
  std::string_view looks = {};   ///< as a mistake by itself: completes "it looks like this: ..."
  std::string_view name = word;  ///< of that mistake, a word for programs that read the report
};

/// All deviations, first those of a layer as a whole. From "parts_with_ends" on, the layer is in
/// parts. From "first_parts_larger" on, they are not mistakes by themselves: they say which parts
/// take the cells left over when parts are of unequal size; without one of them, the last part
/// does.
inline constexpr DeviationRow deviation_rows[] = {
    {"energies_of_other_edition",
     "energies are those of the other edition: v * 1000 / CELLS in edition 2, v / 1000 in "
     "edition 1"},
    {"threshold_of_other_edition",
     "the threshold is the other edition's: T / CELLS in edition 2, T in edition 1"},
    {"no_threshold", "the threshold is left out: every share is added"},
    {"no_negative_shares", "negative shares are not added: the threshold has two sides"},
    {"no_impacts_outside", "impacts outside the layer are left out"},
    {"relaxation_in_place",
     "the relaxation reads cells that it has already replaced: it needs a copy of the layer"},
    {"no_relaxation", "the layer is not relaxed"},
    {"relaxed_twice", "the layer is relaxed twice after a storm"},
    {"relaxation_not_kept", "the next storm begins with the layer as it was before the relaxation"},
    {"ends_relaxed", "the two ends of the layer are relaxed, too, as if a 0 stood beside them"},
    {"largest_cell",
     "the maximum is the largest cell: it must be a cell that exceeds both its neighbours"},
    {"largest_inside_cell",
     "the maximum is the largest cell that is no end: it must exceed both its neighbours"},
    {"ends_as_peaks", "an end of the layer can be the maximum"},
    {"plateaus_as_peaks", "a cell that equals its neighbour counts as a peak: >= in place of >"},
    {"plateau_ends_as_peaks",
     "a cell that equals its left neighbour counts as a peak: >= in place of >"},
    {"larger_position", "of equal maxima it takes the one at the larger position"},
    {"equal_maxima_in_a_tree",
     "of equal maxima a reduction in a tree takes another one than the first: it must compare "
     "positions, too"},
    {"minus_one_without_peak",
     "where there is no peak the position is -1: the published program prints 0 and 0.000000"},
    {"maximum_minus_one_without_peak",
     "where there is no peak the maximum is -1: the published program prints 0.000000",
     "minus_one_without_peak"},
    {"lowest_maximum_without_peak",
     "where there is no peak the maximum is the lowest float: the published program prints "
     "0.000000"},
    {"position_not_set", "all positions are 0: the maximum's must be printed"},
    {"stale_position", "the position beside a maximum belongs to the storm before"},
    {"position_kept",
     "where there is no peak the position is the one of the storm before: it must be 0",
     "stale_position"},
    {"stale_maximum", "a storm without a higher peak keeps the maximum of the storm before"},
    {"layer_not_kept", "every storm begins with a layer of zeros: the layer must keep its energy"},
    {"storms_reversed", "the storms act in the reverse order"},
    {"root_in_double", "the square root and its quotient are computed in double: sqrtf is meant"},
    {"all_in_double", "everything is computed in double: float is meant"},
    {"storm_summed_apart",
     "the shares of a storm are summed apart, and their sum is added to the layer: each share is "
     "meant to be added to the layer, one after the other"},
    {"parts_with_ends",
     "cells where they meet are neither relaxed nor a maximum, like ends of the layer"},
    {"parts_without_peaks", "no peak is found where they meet"},
    {"parts_with_peaks_beside_one_neighbour",
     "a cell where they meet is a peak when it exceeds the neighbour in its own part"},
    {"parts_with_peaks_beside_one_not_relaxed",
     "a peak where they meet is compared with the other part's cell before it is relaxed"},
    {"parts_with_old_neighbours",
     "the relaxation takes the neighbours' cells from before the storm"},
    {"parts_with_other_neighbours", "the relaxation takes a neighbour's cell that is one too far"},
    {"parts_with_last_cells_not_relaxed",
     "the last cell of each part but the last one is not relaxed"},
    {"position_reduced_apart",
     "the maximum of all parts stands beside the largest of their positions: MPI_MAXLOC keeps the "
     "two together"},
    {"position_not_sent",
     "the maximum of all parts stands beside the position in the first one: its position must be "
     "sent, too"},
    {"parts_with_larger_position",
     "of equal maxima in two parts the one in the later part is taken"},
    {"leftover_cells_dropped",
     "the cells that are left over when CELLS is no multiple of them are dropped"},
    // The last cell before those is the layer's end: it is not relaxed with a 0 next to it.
    {"leftover_cells_dropped_behind_end",
     "the cells that are left over when CELLS is no multiple of them are dropped",
     "leftover_cells_dropped"},
    {"first_parts_larger"},
    {"last_part_larger"},
    {"larger_parts_spread"}};

/// A word of the table; another one does not compile.
struct Deviation {
  // NOLINTNEXTLINE(google-explicit-constructor): a word stands for its row
  consteval Deviation(const char* word) {
    while (deviation_rows[row].word != word) ++row;
  }
  constexpr explicit Deviation(std::size_t row) : row(row) {}
  bool operator==(const Deviation&) const = default;

  std::size_t row = 0;
};

/// The maximum after each storm as found by a sequential program that has the layer in `parts`, and
/// these deviations.
std::vector<Maximum> maxima_with(const Case& tried, const std::vector<Deviation>& deviations = {},
                                 int parts = 1);

}  // namespace bombard::judge
