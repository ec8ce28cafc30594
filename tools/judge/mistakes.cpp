#include "tools/judge/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace bombard::judge {

namespace {

using Relaxation = Deviation::Relaxation;
using Peaks = Deviation::Peaks;
using Arithmetic = Deviation::Arithmetic;
using Borders = Deviation::Borders;
using LeftOver = Deviation::LeftOver;

std::vector<Mistake> mistakes_in_one_layer() {
  return {
      {"other_edition",
       "it computes the rule of the other edition (--edition)",
       {.other_energies = true, .other_threshold = true}},
      {"energies_of_other_edition",
       "energies are those of the other edition: v * 1000 / CELLS in edition 2, v / 1000 in "
       "edition "
       "1",
       {.other_energies = true}},
      {"threshold_of_other_edition",
       "the threshold is that of the other edition: T / CELLS in edition 2, T in edition 1",
       {.other_threshold = true}},
      {"no_threshold", "the threshold is left out: every share is added", {.threshold = false}},
      {"no_negative_shares",
       "negative shares are not added: the threshold has two sides",
       {.negative_shares = false}},
      {"no_impacts_outside", "impacts outside the layer are left out", {.impacts_outside = false}},
      {"relaxation_in_place",
       "the relaxation reads cells that it has already replaced: it needs a copy of the layer",
       {.relaxation = Relaxation::in_place}},
      {"no_relaxation", "the layer is not relaxed", {.relaxation = Relaxation::none}},
      {"relaxed_twice",
       "the layer is relaxed twice after a storm",
       {.relaxation = Relaxation::twice}},
      {"ends_relaxed",
       "the two ends of the layer are relaxed, too, as if a 0 stood beside them",
       {.relaxation = Relaxation::with_ends}},
      {"largest_cell",
       "the maximum is the largest cell: it must be a cell that exceeds both its neighbours",
       {.peaks = Peaks::largest_cell}},
      {"largest_inside_cell",
       "the maximum is the largest cell that is no end: it must exceed both its neighbours",
       {.peaks = Peaks::largest_inside_cell}},
      {"ends_as_peaks", "an end of the layer can be the maximum", {.peaks = Peaks::with_ends}},
      {"plateaus_as_peaks",
       "a cell that equals its neighbour counts as a peak: >= in place of >",
       {.peaks = Peaks::with_plateaus}},
      {"larger_position",
       "of equal maxima it takes the one at the larger position",
       {.larger_position = true}},
      {"layer_not_kept",
       "every storm begins with a layer of zeros: the layer must keep its energy",
       {.layer_kept = false}},
      {"storms_reversed", "the storms act in the reverse order", {.storms_reversed = true}},
      {"root_in_double",
       "the square root and its quotient are computed in double: sqrtf is meant",
       {.arithmetic = Arithmetic::root_in_double}},
      {"all_in_double",
       "everything is computed in double: float is meant",
       {.arithmetic = Arithmetic::all_in_double}},
  };
}

/// For each number of parts, and each way to share out cells that are left over.
std::vector<Mistake> mistakes_at_borders(int parts, LeftOver left_over) {
  const auto mistake = [&](const char* name, const char* looks, Borders borders) {
    return Mistake{fmt::format("{}_{}", name, parts),
                   fmt::format("the layer is in {} parts, and {}", parts, looks),
                   {.parts = parts, .borders = borders, .left_over = left_over}};
  };
  return {
      mistake("parts_with_ends",
              "cells where they meet are neither relaxed nor a maximum, like ends of the layer",
              Borders::as_ends),
      mistake("parts_without_peaks", "no peak is found where they meet", Borders::without_peaks),
      mistake("parts_with_old_neighbours",
              "the relaxation takes the neighbours' cells from before the storm",
              Borders::without_new_shares)};
}

std::vector<Mistake> all_mistakes() {
  std::vector<Mistake> all = mistakes_in_one_layer();
  for (int parts = 2; parts <= 8; ++parts) {
    for (const LeftOver left_over :
         {LeftOver::to_first_parts, LeftOver::to_last_part, LeftOver::spread}) {
      std::ranges::move(mistakes_at_borders(parts, left_over), std::back_inserter(all));
    }
  }
  return all;
}

}  // namespace

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = all_mistakes();
  return all;
}

bool MistakenAnswers::compares(const Case& tried) {
  const auto storms = static_cast<std::int64_t>(tried.storms.size());
  return interactions(tried) <= most_interactions && tried.cells * storms <= most_interactions;
}

std::vector<const Mistake*> MistakenAnswers::that_give(const Case& tried,
                                                       const std::vector<PrintedMaximum>& digits) {
  std::vector<const Mistake*> found;
  if (!compares(tried)) return found;
  for (const Mistake& mistake : mistakes()) {
    const auto [answer, is_new] = answers_.try_emplace({&tried, &mistake});
    if (is_new) answer->second = printed(sequential_maxima(tried, mistake.deviation));
    if (answer->second == digits) found.push_back(&mistake);
  }
  return found;
}

}  // namespace bombard::judge
