#include "tools/judge/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace bombard::judge {

namespace {

using enum Deviation;

/// Mistakes of one deviation.
struct Entry {
  Deviation deviation;
  const char *name, *looks;
};

constexpr Entry in_one_layer[] = {
    {energies_of_other_edition, "energies_of_other_edition",
     "energies are those of the other edition: v * 1000 / CELLS in edition 2, v / 1000 in "
     "edition 1"},
    {threshold_of_other_edition, "threshold_of_other_edition",
     "the threshold is the other edition's: T / CELLS in edition 2, T in edition 1"},
    {no_threshold, "no_threshold", "the threshold is left out: every share is added"},
    {no_negative_shares, "no_negative_shares",
     "negative shares are not added: the threshold has two sides"},
    {no_impacts_outside, "no_impacts_outside", "impacts outside the layer are left out"},
    {relaxation_in_place, "relaxation_in_place",
     "the relaxation reads cells that it has already replaced: it needs a copy of the layer"},
    {no_relaxation, "no_relaxation", "the layer is not relaxed"},
    {relaxed_twice, "relaxed_twice", "the layer is relaxed twice after a storm"},
    {relaxation_not_kept, "relaxation_not_kept",
     "the next storm begins with the layer as it was before the relaxation"},
    {ends_relaxed, "ends_relaxed",
     "the two ends of the layer are relaxed, too, as if a 0 stood beside them"},
    {largest_cell, "largest_cell",
     "the maximum is the largest cell: it must be a cell that exceeds both its neighbours"},
    {largest_inside_cell, "largest_inside_cell",
     "the maximum is the largest cell that is no end: it must exceed both its neighbours"},
    {ends_as_peaks, "ends_as_peaks", "an end of the layer can be the maximum"},
    {plateaus_as_peaks, "plateaus_as_peaks",
     "a cell that equals its neighbour counts as a peak: >= in place of >"},
    {plateau_ends_as_peaks, "plateau_ends_as_peaks",
     "a cell that equals its left neighbour counts as a peak: >= in place of >"},
    {larger_position, "larger_position", "of equal maxima it takes the one at the larger position"},
    {minus_one_without_peak, "minus_one_without_peak",
     "where there is no peak the position is -1: the published program prints 0 and 0.000000"},
    {lowest_without_peak, "minus_one_without_peak",
     "where there is no peak the position is -1, and the maximum the lowest float: the published "
     "program prints 0 and 0.000000"},
    {minus_ones_without_peak, "minus_one_without_peak",
     "where there is no peak the position and the maximum are -1: the published program prints 0 "
     "and 0.000000"},
    {maximum_minus_one_without_peak, "minus_one_without_peak",
     "where there is no peak the maximum is -1: the published program prints 0.000000"},
    {position_not_set, "position_not_set", "all positions are 0: the maximum's must be printed"},
    {printed_position_kept, "stale_position",
     "the position beside a maximum belongs to the storm before"},
    {position_kept, "stale_position",
     "where there is no peak the position is the one of the storm before: it must be 0"},
    {maximum_kept, "stale_maximum",
     "a storm without a higher peak keeps the maximum of the storm before"},
    {layer_not_kept, "layer_not_kept",
     "every storm begins with a layer of zeros: the layer must keep its energy"},
    {storms_reversed, "storms_reversed", "the storms act in the reverse order"},
    {root_in_double, "root_in_double",
     "the square root and its quotient are computed in double: sqrtf is meant"},
    {all_in_double, "all_in_double", "everything is computed in double: float is meant"},
    {storm_summed_apart, "storm_summed_apart",
     "the shares of a storm are summed apart, and their sum is added to the layer: each share is "
     "meant to be added to the layer, one after the other"},
};

constexpr Entry in_parts[] = {
    {borders_as_ends, "parts_with_ends",
     "cells where they meet are neither relaxed nor a maximum, like ends of the layer"},
    {no_peaks_at_borders, "parts_without_peaks", "no peak is found where they meet"},
    {peaks_beside_one_neighbour, "parts_with_peaks_beside_one_neighbour",
     "a cell where they meet is a peak when it exceeds the neighbour in its own part"},
    {peaks_beside_one_not_relaxed, "parts_with_peaks_beside_one_not_relaxed",
     "a peak where they meet is compared with the other part's cell before it is relaxed"},
    {old_neighbours, "parts_with_old_neighbours",
     "the relaxation takes the neighbours' cells from before the storm"},
    {neighbours_too_far, "parts_with_other_neighbours",
     "the relaxation takes a neighbour's cell that is one too far"},
    {last_not_relaxed, "parts_with_last_cells_not_relaxed",
     "the last cell of each part but the last one is not relaxed"},
    {position_reduced_apart, "position_reduced_apart",
     "the maximum of all parts stands beside the largest of their positions: MPI_MAXLOC keeps the "
     "two together"},
    {position_of_first_part, "position_not_sent",
     "the maximum of all parts stands beside the position in the first one: its position must be "
     "sent, too"},
};

std::vector<Mistake> all_mistakes() {
  std::vector<Mistake> all{{"other_edition",
                            "it computes the rule of the other edition (--edition)",
                            {energies_of_other_edition, threshold_of_other_edition}}};
  for (const auto& [deviation, name, looks] : in_one_layer)
    all.push_back({name, looks, {deviation}});
  for (int parts = 2; parts <= 8; ++parts) {
    for (const Deviation sizes : {first_parts_larger, last_part_larger, larger_parts_spread}) {
      for (const auto& [deviation, name, looks] : in_parts) {
        all.push_back({name, looks, {deviation, sizes}, parts});
      }
    }
    for (const Deviation dropped : {left_over_dropped, left_over_dropped_behind_end}) {
      all.push_back({"leftover_cells_dropped",
                     "the cells that are left over when CELLS is no multiple of them are dropped",
                     {dropped},
                     parts});
    }
  }
  return all;
}

/// "2", "2 or 4", "2 to 8".
std::string range(const std::set<int>& numbers, const char* to, const char* also) {
  const int first = *numbers.begin(), last = *numbers.rbegin();
  const bool is_whole = last - first + 1 == static_cast<int>(numbers.size());
  if (is_whole && numbers.size() > 2) return fmt::format("{}{}{}", first, to, last);
  return fmt::to_string(fmt::join(numbers, also));
}

/// Texts of mistakes, each once. `in_parts` adds the numbers of parts with which a text occurs.
std::vector<std::string> texts_of(const std::vector<const Mistake*>& mistakes,
                                  std::string Mistake::*text, const char* in_parts, const char* to,
                                  const char* also) {
  std::map<std::string, std::set<int>> parts;
  for (const Mistake* mistake : mistakes) {
    std::set<int>& of_text = parts[mistake->*text];
    if (mistake->parts > 1) of_text.insert(mistake->parts);
  }
  std::vector<std::string> texts;
  for (const auto& [one, numbers] : parts) {
    texts.push_back(
        numbers.empty() ? one : fmt::format(fmt::runtime(in_parts), one, range(numbers, to, also)));
  }
  return texts;
}

}  // namespace

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = all_mistakes();
  return all;
}

std::vector<std::string> names_of(const std::vector<const Mistake*>& mistakes) {
  return texts_of(mistakes, &Mistake::name, "{}_{}", "_to_", "_");
}

std::vector<std::string> looks_of(const std::vector<const Mistake*>& mistakes) {
  return texts_of(mistakes, &Mistake::looks, "the layer is in {1} parts, and {0}", " to ", " or ");
}

bool MistakenAnswers::compares(const Case& tried) {
  const auto storms = static_cast<std::int64_t>(tried.storms.size());
  return interactions(tried) <= most_interactions && tried.cells * storms <= most_interactions;
}

const std::vector<Maximum>& MistakenAnswers::answer(const Case& tried, const Mistake& mistake) {
  const auto [answer, is_new] = answers_.try_emplace({&tried, &mistake});
  if (is_new) answer->second = printed(maxima_with(tried, mistake.deviations, mistake.parts));
  return answer->second;
}

std::vector<const Mistake*> MistakenAnswers::that_give(const Case& tried,
                                                       const std::vector<Maximum>& maxima,
                                                       const std::vector<double>& allowed) {
  std::vector<const Mistake*> found;
  if (!compares(tried)) return found;
  for (const Mistake& mistake : mistakes()) {
    const std::vector<Maximum>& of_mistake = answer(tried, mistake);
    bool gives = allowed.empty() ? of_mistake == maxima : !mistake.is_of_arithmetic();
    for (std::size_t storm = 0; gives && storm < allowed.size(); ++storm) {
      gives = of_mistake[storm].position == maxima[storm].position &&
              std::abs(of_mistake[storm].value - maxima[storm].value) <= allowed[storm];
    }
    if (gives) found.push_back(&mistake);
  }
  return found;
}

}  // namespace bombard::judge
