#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "sim/engines/screened/layer_screening.hpp"

namespace bombard {
namespace {

using Cells = std::vector<std::int64_t>;

/// Where the `count` largest peaks are.
Cells best_peaks(const Screening& screening, std::size_t count = 1) {
  Cells cells;
  for (const CellValue& peak : screening.best_peaks(count)) cells.push_back(peak.position);
  return cells;
}

/// A layer of 1000 cells of `ground`, but for some.
cpu::ConvolvedLayer layer_with(double ground, const std::vector<CellValue>& others) {
  std::vector<double> values(1000, ground);
  for (const auto& [cell, value] : others) values[static_cast<std::size_t>(cell)] = value;
  cpu::ConvolvedLayer layer(1000, square_root_attenuation, 1, 1e-6);
  layer.begin_with(std::span<const double>(values));
  return layer;
}

// Cells are asked for from a value on and below another one; the limit is the most that are given.
TEST(Screening, CandidatesBeginAtTheLeastAndEndBelowTheMost) {
  const cpu::ConvolvedLayer layer = layer_with(-1.0, {{100, 0}, {500, 1.5}, {300, 2}, {700, 2}});
  const LayerScreening screening(layer, whole_layer(1000), 0, 0);
  EXPECT_EQ(screening.candidates(2, 1e30, 2), (Cells{300, 700}));
  EXPECT_EQ(screening.candidates(2, 1e30, 1), std::nullopt);
  EXPECT_EQ(screening.candidates(0, 2, 2), (Cells{500}));
}

TEST(Screening, CandidatesAreThePeaksThatMayReach) {
  const cpu::ConvolvedLayer layer = layer_with(-1.0, {{200, 1}, {500, 3}, {800, 2.9}});
  const LayerScreening screening(layer, whole_layer(1000), 0.1, 0.02);
  EXPECT_EQ(best_peaks(screening, 2), (Cells{500, 800}));
  EXPECT_DOUBLE_EQ(screening.lower(500), 3 - (0.3 + 0.02));
  EXPECT_DOUBLE_EQ(screening.upper(800), 2.9 + (0.29 + 0.02));
  EXPECT_EQ(screening.candidates(3.2, 1e30, 9), (Cells{500, 800}));
  EXPECT_EQ(screening.candidates(3.22, 1e30, 9), (Cells{500}));
  EXPECT_EQ(screening.candidates(1, 3.3, 9), (Cells{200, 800}));
}

/// What a search takes: the bound, the number of peaks, and of candidates that are few.
struct Search {
  double factor;
  std::size_t count, few;
};

/// Searches a fast layer with these peaks for the rule's, and compares what is found, and the
/// number of cells that are confirmed.
void expect_highest(const std::vector<CellValue>& peaks, const Search& search,
                    const std::vector<CellValue>& by_the_rule, const std::vector<CellValue>& found,
                    std::size_t confirmed) {
  const cpu::ConvolvedLayer layer = layer_with(-1.0, peaks);
  const LayerScreening screening(layer, whole_layer(1000), search.factor, 0);
  std::size_t asked = 0;
  PeakSearch running(screening, search.count, search.few, 9);
  while (running.asks()) {
    asked += running.candidates().size();
    std::vector<CellValue> of_rule;
    for (const CellValue& peak : by_the_rule) {
      if (std::ranges::binary_search(running.candidates(), peak.position)) of_rule.push_back(peak);
    }
    running.take(of_rule);
  }
  EXPECT_FALSE(running.gave_up());
  EXPECT_EQ(running.complete_from(), 0);
  EXPECT_EQ(running.peaks(), found);
  EXPECT_EQ(asked, confirmed);
}

// The best of three peaks is the highest by the rule, too: its value is the least that is asked for
// then, and no cell is confirmed twice.
TEST(Screening, WhatIsFoundEndsTheSearch) {
  const std::vector<CellValue> three{{100, 3}, {200, 2.9}, {300, 2.8}};
  expect_highest(three, {0.1, 1, 1}, three, {{100, 3}}, 1 + 2);
  expect_highest(three, {0.1, 2, 2}, three, {{100, 3}, {200, 2.9}}, 2 + 1);
}

// The best of three peaks is no peak by the rule. The rule's value of the second one, a candidate,
// is as low as its bound allows. The third is not a candidate, and its value is as high as it can
// be. The same for the second highest peak.
TEST(Screening, AConfirmedPeakBelowTheLeastIsNotTheHighest) {
  expect_highest({{100, 1}, {200, 0.985}, {300, 0.978}}, {0.01, 1, 8},
                 {{200, 0.97515}, {300, 0.98778}}, {{300, 0.98778}}, 2 + 1);
  expect_highest({{100, 3}, {200, 2.9}, {300, 2.35}, {400, 2.5}}, {0.1, 2, 8},
                 {{100, 3}, {300, 2.55}, {400, 2.3}}, {{100, 3}, {300, 2.55}}, 3 + 1);
}

TEST(Screening, PeaksThatTheRuleLevelsAreReplaced) {
  const std::vector<CellValue> all{{100, 8}, {200, 7}, {300, 6}, {400, 5},
                                   {500, 4}, {600, 3}, {700, 2}, {800, 1}};
  const std::vector<CellValue> left(all.begin() + 4, all.end());
  expect_highest(all, {1e-6, 2, 1}, left, {left[0], left[1]}, 2 + 8);
  expect_highest(all, {1e-6, 9, 8}, left, left, 8);
}

TEST(Screening, GivesUpWhereCandidatesAreTooMany) {
  const cpu::ConvolvedLayer layer = layer_with(-1.0, {{100, 3}, {200, 2.9}, {300, 2.8}});
  const LayerScreening screening(layer, whole_layer(1000), 0.1, 0);
  for (const std::size_t limit : {3, 2}) {
    PeakSearch search(screening, 1, 1, limit);
    while (search.asks()) search.take(std::vector<CellValue>());
    EXPECT_EQ(search.gave_up(), limit == 2);
  }
}

// More peaks are asked for than the layer has: those that are known are told, down to the lowest.
TEST(Screening, PeaksThatAreProvedAreToldWhereOthersAreTooMany) {
  const std::vector<CellValue> three{{100, 3}, {200, 2.9}, {300, 2.8}};
  std::vector<CellValue> all = three;
  for (std::int64_t k = 400; k < 420; k += 2) all.push_back({k, 0.5});
  const cpu::ConvolvedLayer layer = layer_with(-1.0, all);
  for (const double factor : {1e-6, 0.0}) {  // 0: the lowest is as low as it can be
    const LayerScreening screening(layer, whole_layer(1000), factor, 0);
    PeakSearch search(screening, 3, 3, 5);
    while (search.asks()) search.take({{three[0], three[2]}});  // the second is none by the rule
    EXPECT_TRUE(search.gave_up());
    EXPECT_EQ(search.peaks(), (std::vector<CellValue>{three[0], three[2]}));
    EXPECT_LE(search.complete_from(), 2.8);
    EXPECT_GT(search.complete_from(), 0.5);
  }
}

TEST(Screening, CandidatesThatCostTooMuchEndTheSearch) {
  const cpu::ConvolvedLayer layer = layer_with(-1.0, {{100, 3}});
  const LayerScreening screening(layer, whole_layer(1000), 0.1, 0);
  PeakSearch search(screening, 1, 9, 9);
  ASSERT_TRUE(search.asks());
  search.take(std::nullopt);
  EXPECT_TRUE(search.gave_up());
  EXPECT_TRUE(search.peaks().empty());
}

// The last group has the highest cell, an end, and is looked at first: it has one of two equal
// peaks.
TEST(Screening, OfEqualPeaksTheFirstAndNoEnd) {
  const cpu::ConvolvedLayer layer = layer_with(1.0, {{0, 2.5}, {300, 2}, {980, 2}, {999, 3}});
  EXPECT_EQ(best_peaks(LayerScreening(layer, whole_layer(1000), 1e-6, 0)), (Cells{300}));
}

// Of equal values, and of values so near to each other that one cell lies below the other by more
// than one of their two bounds and less than both.
TEST(Screening, NeighboursMayBothBePeaks) {
  for (const double value : {1.0, 0.985}) {
    const cpu::ConvolvedLayer layer = layer_with(-1.0, {{50, 1}, {51, value}});
    const LayerScreening screening(layer, whole_layer(1000), 0.01, 0);
    EXPECT_EQ(screening.candidates(screening.lower(51), 1e30, 9), (Cells{50, 51}));
    EXPECT_EQ(screening.upper(51) > 1, value == 1);
  }
}

// Of the whole layer, and of the cells from 400 on.
TEST(Screening, OnlyCellsOfItsOwnCount) {
  const cpu::ConvolvedLayer layer = layer_with(0.001, {{200, 1}, {500, 3}, {800, 2.9}});
  const LayerScreening part(layer, {{600, 1000}, {0, 1000}, 1000}, 0.01, 0);
  EXPECT_EQ(best_peaks(part, 9), (Cells{800}));
  EXPECT_EQ(part.candidates(1, 1e30, 9), (Cells{800}));
  EXPECT_EQ(part.relative_bound(500), 0);
  EXPECT_NEAR(part.relative_bound(800), 0.01, 1e-12);
  const LayerScreening held(layer, {{700, 1400}, {400, 1400}, 2000}, 0.01, 0);
  EXPECT_EQ(best_peaks(held, 9), (Cells{900, 1200}));
  const LayerScreening none(layer, {{0, 2}, {0, 1000}, 1000}, 0.01, 0);
  EXPECT_TRUE(best_peaks(none).empty());
}

}  // namespace
}  // namespace bombard
