#include "sim/engines/screened/screening.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

#include "tests/sim/engines/screened/bounded_layer.hpp"

namespace bombard::tests {
namespace {

using Cells = std::vector<std::int64_t>;

/// Where the `count` largest peaks are.
Cells best_peaks(const Screening& screening, std::size_t count = 1) {
  Cells cells;
  for (const CellValue& peak : screening.best_peaks(count)) cells.push_back(peak.position);
  return cells;
}

/// A layer of 1000 cells of `ground`, but for some.
cpu::ConvolvedLayer layer_with(double ground, std::initializer_list<CellValue> others) {
  std::vector<double> values(1000, ground);
  for (const auto& [cell, value] : others) values[static_cast<std::size_t>(cell)] = value;
  cpu::ConvolvedLayer layer({0, 1000, 1000}, square_root_attenuation, 1, 1e-6);
  layer.begin_with(std::span<const double>(values));
  return layer;
}

TEST(Screening, CandidatesAreThePeaksThatMayReach) {
  BoundedLayer screened(1000);
  screened.apply({{200, 100}, {500, 300}, {800, 299}});
  const LayerScreening screening = screened.screening();
  EXPECT_EQ(best_peaks(screening, 2), (Cells{500, 800}));
  EXPECT_EQ(screening.candidates(screening.lower(500), 1e30, 100), (Cells{500}));
  EXPECT_EQ(screening.candidates(screening.lower(800), 1e30, 100), (Cells{500, 800}));
  EXPECT_EQ(screening.candidates(screening.lower(800), screening.lower(500), 100), (Cells{800}));
  EXPECT_EQ(screening.candidates(screening.lower(200), 1e30, 2), std::nullopt);
}

// Cells are asked for from a value on and below another one; the limit is the most that are given.
TEST(Screening, CandidatesBeginAtTheLeastAndEndBelowTheMost) {
  const cpu::ConvolvedLayer layer = layer_with(-1.0, {{100, 0}, {500, 1.5}, {300, 2}, {700, 2}});
  const LayerScreening screening(layer, whole_layer(1000), 0, 0);
  EXPECT_EQ(screening.candidates(2, 1e30, 2), (Cells{300, 700}));
  EXPECT_EQ(screening.candidates(2, 1e30, 1), std::nullopt);
  EXPECT_EQ(screening.candidates(0, 2, 2), (Cells{500}));
}

// The best of three peaks is the highest by the rule, too: its value is the least that is asked for
// then, and no other cell is confirmed after that.
TEST(Screening, WhatIsFoundEndsTheSearch) {
  const cpu::ConvolvedLayer layer = layer_with(0.001, {{100, 3}, {200, 2.9}, {300, 2.8}});
  const LayerScreening screening(layer, whole_layer(1000), 0.1, 0);
  std::vector<Cells> asked;
  const auto confirm = [&](const Cells& cells) {
    asked.push_back(cells);
    std::optional peaks = std::vector<CellValue>{};
    for (const std::int64_t cell : cells) peaks->push_back({cell, layer.value(cell)});
    return peaks;
  };
  EXPECT_EQ(screening.highest_peaks(1, 1, 9, confirm), (std::vector<CellValue>{{100, 3}}));
  EXPECT_EQ(asked, (std::vector<Cells>{{100}, {100, 200, 300}}));
  asked.clear();
  EXPECT_EQ(screening.highest_peaks(2, 2, 9, confirm),
            (std::vector<CellValue>{{100, 3}, {200, 2.9}}));
  EXPECT_EQ(asked, (std::vector<Cells>{{100, 200}, {100, 200, 300}}));
}

// As if the rule's roundings had levelled the six largest of ten peaks.
TEST(Screening, PeaksThatTheRuleLevelsAreReplaced) {
  BoundedLayer screened(5000);
  std::vector<Impact> storm;
  for (int i = 0; i < 10; ++i) storm.push_back({250 + 500 * i, 1000 + i % 5 * 7 + i});
  screened.apply(storm);
  const LayerScreening screening = screened.screening();
  const Cells all = best_peaks(screening, 20);
  ASSERT_EQ(all.size(), 10U);
  std::size_t asked = 0;
  const auto confirm = [&](const Cells& cells) {
    asked += cells.size();
    std::optional peaks = std::vector<CellValue>{};
    for (const std::int64_t cell : cells) {
      const bool levelled = std::find(all.begin(), all.begin() + 6, cell) != all.begin() + 6;
      if (!levelled) peaks->push_back({cell, screened.layer.value(cell)});
    }
    return peaks;
  };
  const auto peaks = screening.highest_peaks(2, 1, 100, confirm);
  ASSERT_TRUE(peaks && peaks->size() == 2);
  EXPECT_EQ((*peaks)[0].position, all[6]);
  EXPECT_EQ((*peaks)[1].position, all[7]);
  EXPECT_LT(asked, 40U);
  EXPECT_EQ(screening.highest_peaks(50, 1, 100, confirm)->size(), 4U);
  EXPECT_EQ(screening.highest_peaks(2, 1, 3, confirm), std::nullopt);
  EXPECT_EQ(screening.highest_peaks(2, 1, 100, [](const Cells&) { return std::nullopt; }),
            std::nullopt);
}

// The best of three peaks is no peak by the rule. The rule's value of the second one, a candidate,
// is as low as its bound allows. The third is not a candidate, and its value is as high as it can
// be.
TEST(Screening, AConfirmedPeakBelowTheLeastIsNotTheHighest) {
  const cpu::ConvolvedLayer layer = layer_with(0.001, {{100, 1}, {200, 0.985}, {300, 0.978}});
  const LayerScreening screening(layer, whole_layer(1000), 0.01, 0);
  const auto confirm = [&](const Cells& cells) {
    std::optional peaks = std::vector<CellValue>{};
    for (const std::int64_t cell : cells) {
      if (cell == 200) peaks->push_back({cell, screening.lower(cell)});
      if (cell == 300) peaks->push_back({cell, screening.upper(cell)});
    }
    return peaks;
  };
  EXPECT_EQ(screening.highest_peaks(1, 8, 2000, confirm)->front().position, 300);
}

// The same for the second peak: the second best is no peak by the rule, the third is as low as its
// bound allows, and the fourth, which is not a candidate at first, is higher.
TEST(Screening, ASecondPeakBelowTheLeastIsNotTheSecondHighest) {
  const cpu::ConvolvedLayer layer =
      layer_with(0.001, {{100, 3}, {200, 2.9}, {300, 2.35}, {400, 2.5}});
  const LayerScreening screening(layer, whole_layer(1000), 0.1, 0);
  const auto confirm = [&](const Cells& cells) {
    std::optional peaks = std::vector<CellValue>{};
    for (const CellValue& peak : {CellValue{100, 3}, CellValue{300, 2.55}, CellValue{400, 2.3}}) {
      if (std::ranges::binary_search(cells, peak.position)) peaks->push_back(peak);
    }
    return peaks;
  };
  EXPECT_EQ(screening.highest_peaks(2, 8, 2000, confirm),
            (std::vector<CellValue>{{100, 3}, {300, 2.55}}));
}

TEST(Screening, OfEqualPeaksTheFirst) {
  int ties = 0;
  for (std::int64_t cells = 300; cells < 3000; cells += 7) {
    BoundedLayer screened(cells);
    const std::int64_t p = 20 + cells % 50;
    // The ends are higher, the right one often by a rounding: its cells are looked at first.
    screened.apply({{p, 300}, {cells - 1 - p, 300}, {0, 900}, {cells - 1, 900}});
    const std::int64_t peak = best_peaks(screened.screening()).at(0);
    const std::int64_t mirrored = cells - 1 - peak;
    const bool tie = screened.layer.value(peak) == screened.layer.value(mirrored);
    if (!tie || peak == mirrored) continue;
    ++ties;
    EXPECT_LT(peak, mirrored) << cells << " cells";
  }
  EXPECT_GE(ties, 20);
}

// The last group has the highest cell, an end, and is looked at first: it has one of two equal
// peaks.
TEST(Screening, OfEqualPeaksTheFirstInWhicheverGroup) {
  const cpu::ConvolvedLayer layer = layer_with(1.0, {{300, 2}, {980, 2}, {999, 3}});
  EXPECT_EQ(best_peaks(LayerScreening(layer, whole_layer(1000), 1e-6, 0)), (Cells{300}));
}

// Of equal energies, and of energies so near to each other that one cell lies below the other by
// more than one of their two bounds and less than both.
TEST(Screening, NeighboursMayBothBePeaks) {
  for (const int energy : {1'000'000, 999'962}) {
    BoundedLayer screened(100);
    screened.apply({{50, 1'000'000}, {51, energy}});
    const LayerScreening screening = screened.screening();
    EXPECT_EQ(screening.candidates(screening.lower(51), 1e30, 100), (Cells{50, 51}));
    EXPECT_EQ(screening.upper(51) > screened.layer.value(50), energy == 1'000'000);
  }
}

// Of the whole layer, and of the cells from 400 on.
TEST(Screening, OnlyCellsOfItsOwnCount) {
  BoundedLayer screened(1000);
  screened.apply({{200, 100}, {500, 300}, {800, 299}});
  const double factor = screened.bound.factor();
  const LayerScreening part(screened.layer, {{600, 1000}, {0, 1000}, 1000}, factor, 0);
  EXPECT_EQ(best_peaks(part, 9), (Cells{800}));
  EXPECT_EQ(part.candidates(part.lower(200), 1e30, 9), (Cells{800}));
  EXPECT_EQ(part.relative_bound(500), 0);
  EXPECT_NEAR(part.relative_bound(800), factor, 1e-12);
  const LayerScreening held(screened.layer, {{700, 1400}, {400, 1400}, 2000}, factor, 0);
  EXPECT_EQ(best_peaks(held, 9), (Cells{900, 1200}));
  const LayerScreening none(screened.layer, {{0, 2}, {0, 1000}, 1000}, factor, 0);
  EXPECT_TRUE(best_peaks(none).empty());
}

TEST(Screening, AnEndIsNeverAPeak) {
  BoundedLayer screened(50);
  screened.apply({{0, 1000}, {49, 1000}});
  EXPECT_TRUE(best_peaks(screened.screening()).empty());
  BoundedLayer alone(1);
  alone.apply({{0, 5}});
  EXPECT_TRUE(best_peaks(alone.screening()).empty());
  EXPECT_TRUE(alone.screening().candidates(0, 1e30, 10)->empty());
}

}  // namespace
}  // namespace bombard::tests
