#include "tools/judge/mistakes.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <utility>

#include "tools/judge/answer.hpp"

namespace bombard::judge {

namespace {

using Change = SteppedProgram&;

Edition other(Edition edition) {
  return edition == Edition::first ? Edition::second : Edition::first;
}

double share_of_other_edition(At at, const Impact& impact, Cell k) {
  return at.share(impact, k, other(at.tried.edition));
}

bool threshold_of_other_edition(At at, double share) {
  return std::abs(share) >= at.least_share(other(at.tried.edition));
}

constexpr double lowest = std::numeric_limits<float>::lowest();
constexpr std::string_view looks_like_no_peak =
    "where there is no peak it prints what it started with (-1, or the lowest float): the "
    "published "
    "program prints 0 and 0.000000";

/// Of equal maxima a reduction that repeatedly halves its values keeps this one: the cells meet in
/// the step of the lowest bit in which they differ.
bool is_first_in_a_tree(Cell k, Cell before) {
  const Cell apart = k ^ before;
  return (k & apart & -apart) == 0;
}

constexpr std::string_view looks_like_blocks =
    "cells that fill no whole block of threads get no energy: CELLS / SIZE must be rounded up";

constexpr std::string_view looks_like_leftover =
    "the cells that are left over when CELLS is no multiple of 4 parts are dropped";

void relax_ends(Change at, double before, double behind) {
  at.relax();
  if (at.cells == 1) return;
  at.layer.front() = at.third(before, at.added[0], at.added[1]);
  at.layer.back() = at.third(at.added[at.cells - 2], at.added.back(), behind);
}

std::vector<double> layer_of_zeros(At at) {
  return std::vector<double>(at.layer.size());
}

Maximum beginning_at(Cell first, Maximum maximum) {
  return {maximum.position - first, maximum.value};
}

constexpr Mistake all_mistakes[] = {
    {"other_edition",
     "it computes the rule of the other edition (--edition)",
     {.share = share_of_other_edition, .threshold = threshold_of_other_edition}},
    {"energies_of_other_edition",
     "energies are those of the other edition: v * 1000 / CELLS in edition 2, v / 1000 in edition "
     "1",
     {.share = share_of_other_edition}},
    {"energies_not_in_thousands", "energies keep their number: 1000 is left out", {.thousand = 1}},
    {"energies_in_int", "1000 times an energy is an int: float is meant", {.energy_in_int = true}},
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
     {.threshold = [](At, double share) { return std::abs(share) >= 1; }}},
    {"threshold_of_other_edition",
     "the threshold is the other edition's: T / CELLS in edition 2, T in edition 1",
     {.threshold = threshold_of_other_edition}},
    {"no_threshold",
     "the threshold is left out: every share is added",
     {.threshold = [](At, double) { return true; }}},
    {"no_negative_shares",
     "negative shares are not added: the threshold has two sides",
     {.threshold = [](At at, double share) { return share >= at.least_share(at.tried.edition); }}},
    {"no_impacts_outside",
     "impacts outside the layer are left out",
     {.share =
          [](At at, const Impact& impact, Cell k) {
            const bool is_inside = impact.position >= 0 && impact.position < at.cells;
            return is_inside ? share_of_the_rule(at, impact, k) : 0;
          }}},
    {"root_in_double",
     "the square root and its quotient are computed in double: sqrtf is meant",
     {.share =
          [](At at, const Impact& impact, Cell k) {
            return at.rounded(at.energy(impact, at.tried.edition) /
                              std::sqrt(at.distance(impact, k)));
          }},
     true},
    {"all_in_double",
     "everything is computed in double: float is meant",
     {.in_double = true},
     true},
    {"storm_summed_apart",
     "the shares of a storm are summed apart, and their sum is added to the layer: each share is "
     "meant to be added to the layer, one after the other",
     {.relaxation =
          [](Change at) {  // each storm begins with zeros, and the layer is kept beside
            for (Cell k = 0; k < at.cells; ++k) at.layer[k] = at.rounded(at.kept[k] + at.layer[k]);
            at.relax();
            at.kept = at.layer;
          },
      .next = layer_of_zeros},
     true},
    {"relaxation_in_place",
     "the relaxation reads cells that it has already replaced: it needs a copy of the layer",
     {.relaxation =
          [](Change at) {
            at.relax_from([&](Cell, Cell neighbour) { return at.layer[neighbour]; });
          }}},
    {"relaxation_in_place",
     "the relaxation goes from right to left, and reads cells that it has already replaced",
     {.relaxation =
          [](Change at) {
            for (Cell k = at.cells - 2; k > 0; --k) {
              at.layer[k] = at.third(at.layer[k - 1], at.layer[k], at.layer[k + 1]);
            }
          }}},
    {"no_relaxation", "the layer is not relaxed", {.relaxations = [](At) { return 0; }}},
    {"relaxation_of_one_storm",
     "the layer is relaxed after the first storm only",
     {.relaxations = [](At at) { return at.storm == 0 ? 1 : 0; }}},
    {"relaxation_of_one_storm",
     "the layer is relaxed after the last storm only",
     {.relaxations = [](At at) { return at.storm + 1 == at.tried.storms.size() ? 1 : 0; }}},
    {"other_weights", "the relaxation weights a cell twice: a third is meant", {.middle = 2}},
    {"other_weights", "the relaxation leaves out the cell itself: a third is meant", {.middle = 0}},
    {"peaks_before_relaxation",
     "peaks are sought before the layer is relaxed, or the relaxation comes before the storm",
     {.print =
          [](Change at) {
            std::swap(at.layer, at.added);
            const Maximum found = at.highest();
            std::swap(at.layer, at.added);
            return found;
          }}},
    {"peaks_of_the_copy",
     "peaks are those of the copy, with values of the relaxed layer",
     {.peak = [](At at, Cell k, Cell beside) { return at.added[k] > at.added[beside]; }}},
    {"relaxed_twice",
     "the layer is relaxed twice after a storm",
     {.relaxations = [](At) { return 2; }}},
    {"relaxation_not_kept",
     "the next storm begins with the layer as it was before the relaxation",
     {.next = [](At at) { return at.added; }}},
    {"layer_not_kept",
     "every storm begins with a layer of zeros: the layer must keep its energy",
     {.next = layer_of_zeros}},
    {"ends_relaxed",
     "the two ends of the layer are relaxed, too, as if a 0 stood beside them",
     {.relaxation = [](Change at) { relax_ends(at, 0, 0); }}},
    {"ends_relaxed",
     "the two ends of the layer are relaxed, too, as if they stood beside each other",
     {.relaxation = [](Change at) { relax_ends(at, at.added.back(), at.added.front()); }}},
    {"largest_cell",
     "the maximum is the largest cell: it must be a cell that exceeds both its neighbours",
     {.peak = [](At, Cell, Cell) { return true; }, .edge = [](At, Cell) { return false; }}},
    {"largest_inside_cell",
     "the maximum is the largest cell that is no end: it must exceed both its neighbours",
     {.peak = [](At, Cell, Cell) { return true; }}},
    {"ends_as_peaks",
     "an end of the layer can be the maximum",
     {.edge = [](At, Cell) { return false; }}},
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
     {.order = [](Cell, Cell) { return true; }}},
    {"equal_maxima_in_a_tree",
     "of equal maxima a reduction in a tree takes another one than the first: it must compare "
     "positions, too",
     {.order = is_first_in_a_tree}},
    {"minus_one_without_peak", looks_like_no_peak, {.start = {-1, 0}}},
    {"minus_one_without_peak", looks_like_no_peak, {.start = {0, -1}}},
    {"minus_one_without_peak", looks_like_no_peak, {.start = {-1, -1}}},
    {"lowest_maximum_without_peak", looks_like_no_peak, {.start = {0, lowest}}},
    {"lowest_maximum_without_peak", looks_like_no_peak, {.start = {-1, lowest}}},
    {"position_from_one",
     "positions are counted from 1: the first cell is 0",
     {.print = [](Change at) { return beginning_at(-1, at.highest()); }}},
    {"position_not_set",
     "all positions are 0: the maximum's must be printed",
     {.print =
          [](Change at) {
            return Maximum{0, at.highest().value};
          }}},
    {"stale_position",
     "the position beside a maximum belongs to the storm before",
     {.print =
          [](Change at) {
            const Maximum now = at.highest();
            return Maximum{std::exchange(at.last, now).position, now.value};
          }}},
    {"stale_position",
     "where there is no peak the position is the one of the storm before: it must be 0",
     {.print =
          [](Change at) {
            const Maximum now = at.highest();
            at.steps.start.position = now.position;
            return now;
          }}},
    {"stale_maximum",
     "a storm without a higher peak keeps the maximum of the storm before",
     {.print = [](Change at) { return at.steps.start = at.highest(); }}},
    {"storms_reversed", "the storms act in the reverse order", {.storms_reversed = true}},

    // ---- a layer in parts ----
    {"parts_with_ends",
     "the layer is in 4 parts, and cells where they meet are neither relaxed nor a maximum, like "
     "ends of the layer",
     {.relaxation = [](Change at) { at.relax([&](Cell k) { return at.is_border(k); }); },
      .edge = [](At at, Cell k) { return at.is_end(k) || at.is_border(k); }}},
    {"parts_without_peaks",
     "the layer is in 4 parts, and no peak is found where they meet",
     {.edge = [](At at, Cell k) { return at.is_end(k) || at.is_border(k); }}},
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
          [](Change at) {
            at.relax_from([&](Cell k, Cell neighbour) {
              return (at.is_foreign(k, neighbour) ? at.before : at.copy)[neighbour];
            });
          }}},
    {"parts_with_other_neighbours",
     "the layer is in 4 parts, and the relaxation takes a neighbour's cell that is one too far",
     {.relaxation =
          [](Change at) {
            at.relax_from([&](Cell k, Cell neighbour) {
              const Cell behind = neighbour + (neighbour - k);
              const bool is_there = behind >= 0 && behind < at.cells;
              return at.copy[at.is_foreign(k, neighbour) && is_there ? behind : neighbour];
            });
          }}},
    {"parts_with_last_cells_not_relaxed",
     "the layer is in 4 parts, and the last cell of each part but the last one is not relaxed",
     {.relaxation = [](Change at) { at.relax([&](Cell k) { return at.begins_part(k + 1); }); }}},
    {"position_in_its_part",
     "the layer is in 4 parts, and a position is counted from the beginning of its part",
     {.print =
          [](Change at) {
            int part = 0;
            const Maximum found = at.highest();
            while (found.position >= at.begin_of(part + 1)) ++part;
            return beginning_at(at.begin_of(part), found);
          }}},
    {"position_reduced_apart",
     "the layer is in 4 parts, and the maximum of all parts stands beside the largest of their "
     "positions: MPI_MAXLOC keeps the two together",
     {.print =
          [](Change at) {
            Maximum all{0, at.highest().value};
            for (int part = 0; part < SteppedProgram::parts; ++part) {
              const Maximum of_part = at.highest(at.begin_of(part), at.begin_of(part + 1));
              all.position = std::max(all.position, of_part.position);
            }
            return all;
          }}},
    {"position_not_sent",
     "the layer is in 4 parts, and the maximum of all parts stands beside the position in the "
     "first one: its position must be sent, too",
     {.print =
          [](Change at) {
            return Maximum{at.highest(0, at.begin_of(1)).position, at.highest().value};
          }}},
    // With more parts it is the larger position of all.
    {"parts_with_larger_position",
     "the layer is in 2 parts, and of equal maxima in both the one in the later part is taken",
     {.print =
          [](Change at) {
            const Maximum first = at.highest(0, at.cells / 2);
            const Maximum second = at.highest(at.cells / 2, at.cells);
            return second.value > 0 && second.value >= first.value ? second : first;
          }}},
    // The last cell before those is the layer's end, or it is not: then a 0 stands beside it.
    {"leftover_cells_dropped",
     looks_like_leftover,
     {.relaxation = [](Change at) { at.relax([&](Cell k) { return k >= at.in_blocks(); }); },
      .block = SteppedProgram::parts}},
    {"leftover_cells_dropped",
     looks_like_leftover,
     {.relaxation = [](Change at) { at.relax([&](Cell k) { return k >= at.in_blocks() - 1; }); },
      .block = SteppedProgram::parts}},
};

/// Texts of mistakes, each once.
std::vector<std::string> texts_of(const std::vector<const Mistake*>& mistakes,
                                  std::string_view Mistake::*text) {
  std::set<std::string> texts;
  for (const Mistake* mistake : mistakes) texts.emplace(mistake->*text);
  return {texts.begin(), texts.end()};
}

}  // namespace

std::span<const Mistake> mistakes() {
  return all_mistakes;
}

std::vector<std::string> names_of(const std::vector<const Mistake*>& mistakes) {
  return texts_of(mistakes, &Mistake::name);
}

std::vector<std::string> looks_of(const std::vector<const Mistake*>& mistakes) {
  return texts_of(mistakes, &Mistake::looks);
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
  std::vector<const Mistake*> found;
  if (!tried.mistaken.valid()) return found;
  for (std::size_t i = 0; i < mistakes().size(); ++i) {
    const Mistake& mistake = mistakes()[i];
    const std::vector<Maximum>& of_mistake = tried.mistaken.get()[i];
    bool gives = allowed.empty() ? says(maxima, of_mistake) : !mistake.is_of_arithmetic;
    for (std::size_t storm = 0; gives && storm < allowed.size(); ++storm) {
      gives = of_mistake[storm].position == maxima[storm].position &&
              std::abs(of_mistake[storm].value - maxima[storm].value) <= allowed[storm];
    }
    if (gives) found.push_back(&mistake);
  }
  return found;
}

}  // namespace bombard::judge
