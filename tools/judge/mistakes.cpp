#include "tools/judge/mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "tools/judge/answer.hpp"

namespace bombard::judge {

namespace {

Edition other(Edition edition) {
  return edition == Edition::first ? Edition::second : Edition::first;
}

float share_of_other_edition(At at, const Impact& impact, Cell k) {
  return at.share(impact, k, other(at.tried.edition));
}

bool threshold_of_other_edition(At at, float share) {
  return std::abs(share) >= at.least_share(other(at.tried.edition));
}

float share_in_int(At at, const Impact& impact, Cell k) {
  if (at.tried.edition == Edition::first) {
    return at.share(static_cast<float>(impact.energy / 1000), impact, k);
  }
  const auto energy = static_cast<std::int32_t>(1000LL * impact.energy);
  return at.share(static_cast<float>(energy) / static_cast<float>(at.cells), impact, k);
}

float relaxation_in_place(At at, Cell k) {
  return at.is_end(k) ? at.layer[k] : at.third(at.layer[k - 1], at.layer[k], at.layer[k + 1]);
}

float relaxation_of_ends(At at, Cell k, float before, float behind) {
  if (!at.is_end(k) || at.cells == 1) return relaxation_of_the_rule(at, k);
  return k == 0 ? at.third(before, at.added[0], at.added[1])
                : at.third(at.added[k - 1], at.added[k], behind);
}

float relaxation_where(bool is_relaxed, At at, Cell k) {
  return is_relaxed ? relaxation_of_the_rule(at, k) : at.added[k];
}

bool edge_of_parts(At at, Cell k) {
  return at.is_end(k) || at.is_border(k);
}

bool any_peak(At, Cell, Cell) {
  return true;
}

bool no_edge(At, Cell) {
  return false;
}

Maximum moved(const Maximum& maximum, Cell by) {
  return {maximum.position + by, maximum.value};
}

/// Of equal maxima a reduction that repeatedly halves its values keeps this one: the cells meet in
/// the step of the lowest bit in which they differ.
bool is_first_in_a_tree(At, Cell k, Cell before) {
  const Cell apart = k ^ before;
  return (k & apart & -apart) == 0;
}

constexpr std::string_view looks_like_blocks =
    "cells that fill no whole block of threads get no energy: CELLS / SIZE must be rounded up";

constexpr Mistake all_mistakes[] = {
    {"other_edition",
     "it computes the rule of the other edition (--edition)",
     {.share = share_of_other_edition, .threshold = threshold_of_other_edition}},
    {"energies_of_other_edition",
     "energies are those of the other edition: v * 1000 / CELLS in edition 2, v / 1000 in edition "
     "1",
     {.share = share_of_other_edition}},
    {"energies_not_in_thousands", "energies keep their number: 1000 is left out", {.thousand = 1}},
    {"energies_in_int", "1000 times an energy is an int: float is meant", {.share = share_in_int}},
    {"one_cell_less", "energies are divided by CELLS - 1: CELLS is meant", {.divisor = -1}},
    {"one_cell_less",
     "the last cell gets no energy: the loop ends at CELLS - 1",
     {.share = [](At at, const Impact& impact,
                  Cell k) { return k + 1 < at.cells ? share_of_the_rule(at, impact, k) : 0; }}},
    {"distance_without_one", "the distance is |p - k|: + 1 is left out", {.own = 0}},
    {"blocks_left_out", looks_like_blocks, {.block = 32}},
    {"blocks_left_out", looks_like_blocks, {.block = 64}},
    {"blocks_left_out", looks_like_blocks, {.block = 128}},
    {"blocks_left_out", looks_like_blocks, {.block = 256}},
    {"abs_of_share",
     "abs() makes a whole number of a share before the threshold: fabsf() is meant",
     {.threshold = [](At, float share) { return std::abs(share) >= 1; }}},
    {"threshold_of_other_edition",
     "the threshold is the other edition's: T / CELLS in edition 2, T in edition 1",
     {.threshold = threshold_of_other_edition}},
    {"no_threshold",
     "the threshold is left out: every share is added",
     {.threshold = [](At, float) { return true; }}},
    {"no_negative_shares",
     "negative shares are not added: the threshold has two sides",
     {.threshold = [](At at, float share) { return share >= at.least_share(at.tried.edition); }}},
    {"relaxation_in_place",
     "the relaxation reads cells that it has already replaced: it needs a copy of the layer",
     {.relaxation = relaxation_in_place}},
    {"relaxation_in_place",
     "the relaxation goes from right to left, and reads cells that it has already replaced",
     {.relaxation = relaxation_in_place, .from_right = true}},
    {"no_relaxation",
     "the layer is not relaxed",
     {.relaxation = [](At at, Cell k) { return at.added[k]; }}},
    {"relaxation_of_one_storm",
     "the layer is relaxed after the first storm only",
     {.relaxation = [](At at, Cell k) { return relaxation_where(at.storm == 0, at, k); }}},
    {"other_weights", "the relaxation weights a cell twice: a third is meant", {.middle = 2}},
    {"other_weights", "the relaxation leaves out the cell itself: a third is meant", {.middle = 0}},
    {"ends_relaxed",
     "the two ends of the layer are relaxed, too, as if a 0 stood beside them",
     {.relaxation = [](At at, Cell k) { return relaxation_of_ends(at, k, 0, 0); }}},
    {"ends_relaxed",
     "the two ends of the layer are relaxed, too, as if they stood beside each other",
     {.relaxation =
          [](At at, Cell k) {
            return relaxation_of_ends(at, k, at.added.back(), at.added.front());
          }}},
    {"peaks_before_relaxation",
     "peaks are sought before the layer is relaxed, or the relaxation comes before the storm",
     {.print =
          [](Change at, Maximum found) {
            at.layer.swap(at.added);
            found = at.highest();
            at.layer.swap(at.added);
            return found;
          }}},
    {"peaks_of_the_copy",
     "peaks are those of the copy, with values of the relaxed layer",
     {.peak = [](At at, Cell k, Cell beside) { return at.added[k] > at.added[beside]; }}},
    {"relaxation_not_kept",
     "the next storm begins with the layer as it was before the relaxation",
     {.print =
          [](Change at, Maximum found) {
            at.layer = at.added;
            return found;
          }}},
    {"layer_not_kept",
     "every storm begins with a layer of zeros: the layer must keep its energy",
     {.print =
          [](Change at, Maximum found) {
            std::ranges::fill(at.layer, 0);
            return found;
          }}},
    {"largest_cell",
     "the maximum is the largest cell: it must be a cell that exceeds both its neighbours",
     {.peak = any_peak, .edge = no_edge}},
    {"largest_inside_cell",
     "the maximum is the largest cell that is no end: it must exceed both its neighbours",
     {.peak = any_peak}},
    {"ends_as_peaks", "an end of the layer can be the maximum", {.edge = no_edge}},
    {"plateaus_as_peaks",
     "a cell that equals its neighbour counts as a peak: >= in place of >",
     {.peak = [](At at, Cell k, Cell beside) { return at.layer[k] >= at.layer[beside]; }}},
    {"plateau_ends_as_peaks",
     "a cell that equals its left neighbour counts as a peak: >= in place of >",
     {.peak =
          [](At at, Cell k, Cell beside) {
            return beside < k ? at.layer[k] >= at.layer[beside] : at.layer[k] > at.layer[beside];
          }}},
    {"larger_position",
     "of equal maxima it takes the one at the larger position",
     {.order = [](At, Cell, Cell) { return true; }}},
    {"equal_maxima_in_a_tree",
     "of equal maxima a reduction in a tree takes another one than the first: it must compare "
     "positions, too",
     {.order = is_first_in_a_tree}},
    {"position_from_one",
     "positions are counted from 1: the first cell is 0",
     {.print = [](Change, Maximum found) { return moved(found, 1); }}},
    {"position_not_set",
     "all positions are 0: the maximum's must be printed",
     {.print =
          [](Change, Maximum found) {
            return Maximum{0, found.value};
          }}},
    {"stale_position",
     "the position beside a maximum belongs to the storm before",
     {.print =
          [](Change at, Maximum found) {
            return Maximum{std::exchange(at.last, found).position, found.value};
          }}},
    {"stale_maximum",
     "a storm without a higher peak keeps the maximum of the storm before",
     {.print =
          [](Change at, Maximum found) {
            return at.last = found.value > at.last.value ? found : at.last;
          }}},

    // ---- a layer in parts ----
    {"parts_with_ends",
     "the layer is in 4 parts, and cells where they meet are neither relaxed nor a maximum, like "
     "ends of the layer",
     {.relaxation = [](At at, Cell k) { return relaxation_where(!at.is_border(k), at, k); },
      .edge = edge_of_parts}},
    {"parts_without_peaks",
     "the layer is in 4 parts, and no peak is found where they meet",
     {.edge = edge_of_parts}},
    {"parts_with_peaks_beside_one_neighbour",
     "the layer is in 4 parts, and a cell where they meet is a peak when it exceeds the neighbour "
     "in its own part",
     {.peak =
          [](At at, Cell k, Cell beside) {
            return at.is_foreign(k, beside) || at.layer[k] > at.layer[beside];
          }}},
    {"parts_with_peaks_beside_one_not_relaxed",
     "the layer is in 4 parts, and a peak where they meet is compared with the other part's cell "
     "before it is relaxed",
     {.peak =
          [](At at, Cell k, Cell beside) {
            return at.layer[k] > (at.is_foreign(k, beside) ? at.added : at.layer)[beside];
          }}},
    {"parts_with_old_neighbours",
     "the layer is in 4 parts, and the relaxation takes the neighbours' cells from before the "
     "storm",
     {.relaxation =
          [](At at, Cell k) {
            if (at.is_end(k)) return at.added[k];
            const auto& left = at.begins_part(k) ? at.before : at.added;
            const auto& right = at.begins_part(k + 1) ? at.before : at.added;
            return at.third(left[k - 1], at.added[k], right[k + 1]);
          }}},
    {"position_in_its_part",
     "the layer is in 4 parts, and a position is counted from the beginning of its part",
     {.print = [](Change at,
                  Maximum found) { return moved(found, -at.part_begin(found.position)); }}},
    {"position_reduced_apart",
     "the layer is in 4 parts, and the maximum of all parts stands beside the largest of their "
     "positions: MPI_MAXLOC keeps the two together",
     {.print =
          [](Change at, Maximum found) {
            for (Cell k = at.cells - 1; k > found.position; k = at.part_begin(k) - 1) {
              const Maximum of_part = at.highest(at.part_begin(k), k + 1);
              found.position = std::max(found.position, of_part.position);
            }
            return found;
          }}},
    {"position_not_sent",
     "the layer is in 4 parts, and the maximum of all parts stands beside the position in the "
     "first one: its position must be sent, too",
     {.print =
          [](Change at, Maximum found) {
            return Maximum{at.highest(0, at.cells / 4).position, found.value};
          }}},
    {"parts_with_larger_position",
     "the layer is in 2 parts, and of equal maxima in both the one in the later part is taken",
     {.order = [](At at, Cell k,
                  Cell before) { return k >= at.cells / 2 && before < at.cells / 2; }}},
    {"leftover_cells_dropped",
     "the cells that are left over when CELLS is no multiple of 4 parts are dropped",
     {.relaxation = [](At at, Cell k) { return relaxation_where(k < at.in_blocks(), at, k); },
      .block = 4}},
};

}  // namespace

std::span<const Mistake> mistakes() {
  return all_mistakes;
}

std::vector<std::string> texts_of(const std::vector<const Mistake*>& mistakes,
                                  std::string_view Mistake::*text) {
  std::set<std::string> texts;
  for (const Mistake* mistake : mistakes) texts.emplace(mistake->*text);
  return {texts.begin(), texts.end()};
}

bool shows_mistakes(const Case& tried) {
  constexpr std::int64_t most = 1'000'000;  // all mistakes together take a few seconds at most
  const auto storms = static_cast<std::int64_t>(tried.storms.size());
  return interactions(tried) <= most && tried.cells * storms <= most;
}

std::vector<std::vector<Maximum>> answers_of_mistakes(const Case& tried) {
  std::vector<std::vector<Maximum>> answers;
  for (const Mistake& mistake : mistakes()) {
    answers.push_back(SteppedProgram(tried, mistake.replaced).maxima());
  }
  return answers;
}

std::vector<const Mistake*> mistakes_that_give(const std::vector<Maximum>& maxima,
                                               const PreparedCase& tried,
                                               const std::vector<double>& allowed) {
  const auto gives = [&](const std::vector<Maximum>& answer) {
    if (allowed.empty()) return says(maxima, answer);
    for (std::size_t storm = 0; storm < allowed.size(); ++storm) {
      const bool is_near = std::abs(answer[storm].value - maxima[storm].value) <= allowed[storm];
      if (!is_near || answer[storm].position != maxima[storm].position) return false;
    }
    return true;
  };
  std::vector<const Mistake*> found;
  if (!tried.mistaken.valid()) return found;
  if (!allowed.empty() && gives(tried.right)) return found;  // errors explain them
  for (std::size_t i = 0; i < mistakes().size(); ++i) {
    if (gives(tried.mistaken.get()[i])) found.push_back(&mistakes()[i]);
  }
  return found;
}

}  // namespace bombard::judge
