#include "sim/engines/screened/exact_layer.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sim/engines/highest_peaks.hpp"
#include "sim/engines/screened/cell_ranges.hpp"
#include "tests/random_storms.hpp"
#include "tests/sim/engines/against_oracle.hpp"

namespace bombard {
namespace {

/// Costs by which each storm is counted, and none is.
constexpr CountingCosts costs_nothing{0, 0, 0, 0};
constexpr CountingCosts costs_too_much{2, 0, 0, 0};

std::vector<Storm> random_storms(Random& random, std::int64_t cells, std::int64_t most_impacts) {
  std::vector<Storm> storms(static_cast<std::size_t>(1 + below(random, 4)));
  for (Storm& storm : storms) {
    storm.impacts = random_impacts(random, below(random, most_impacts), -50, cells + 50);
  }
  return storms;
}

/// Wide ranges, narrow ones, some near each other.
std::vector<CellRange> random_ranges(Random& random, std::int64_t cells) {
  std::vector<CellRange> ranges;
  for (std::int64_t begin = below(random, cells); begin < cells;
       begin += 1 + below(random, below(random, 2) == 0 ? 40 : 2000)) {
    ranges.push_back({begin, std::min(cells, begin + 1 + below(random, 3))});
  }
  if (below(random, 3) == 0) ranges.push_back({ranges.back().begin, cells});
  return widened(ranges, below(random, 3), cells);
}

TEST(ExactLayer, AnyCellsAreTheRules) {
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::int64_t cells = 1 + below(random, seed % 5 == 0 ? 40 : 6000);
    const bool counts = seed % 2 == 0;
    const auto storms = random_storms(random, cells, counts ? 3000 : 300);
    const auto exact = make_exact_layer({.part = whole_layer(cells),
                                         .storms = 9,
                                         .keep_layer = false,
                                         .threads = static_cast<int>(1 + below(random, 3))},
                                        counts ? costs_nothing : costs_too_much);
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (const Storm& storm : storms) exact->add({storm.impacts}, &storm == &storms.back());
      // After all storms, and after some of them, at once.
      std::vector<ExactLayer::Tiles> several;
      for (const std::int64_t count : {std::ssize(storms), 1 + below(random, std::ssize(storms))}) {
        several.push_back(
            exact->tiles(random_ranges(random, cells), static_cast<std::size_t>(count)));
      }
      several.push_back(exact->tiles({}, 1));
      const std::vector<std::vector<float>> values = exact->values(several);
      for (std::size_t i = 0; i < several.size(); ++i) {
        const std::vector<Storm> first(
            storms.begin(), storms.begin() + static_cast<std::ptrdiff_t>(several[i].storms));
        const std::vector<float> layer = by_the_rule({cells, first}).layer;
        std::vector<float> expected;
        for (const CellRange& range : several[i].ranges) {
          expected.insert(expected.end(), layer.begin() + range.begin, layer.begin() + range.end);
        }
        ASSERT_EQ(values[i], expected) << cells << " cells";
      }
      exact->forget();
    }
  }
}

/// The highest peaks among these cells of a layer, cell by cell.
std::vector<CellValue> peaks_of(const std::vector<float>& layer, const std::vector<CellRange>& gaps,
                                std::size_t count, double least) {
  std::vector<CellValue> peaks;
  for (const CellRange& gap : gaps) {
    for (std::int64_t k = gap.begin; k < gap.end; ++k) {
      const auto here = layer.begin() + k;
      if (*here >= least && here[0] > here[-1] && here[0] > here[1]) peaks.push_back({k, *here});
    }
  }
  sort_peaks(peaks);
  peaks.resize(std::min(peaks.size(), count));
  return peaks;
}

// Impacts far outside, whose roundings make peaks.
TEST(ExactLayer, PeaksOfGapsAreTheRules) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::size_t all_peaks = 0;
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::int64_t cells = 100 + below(random, 20'000);
    std::vector<Storm> storms(static_cast<std::size_t>(1 + below(random, 3)));
    const std::int64_t far = std::int64_t{1} << (17 + below(random, 14));
    for (Storm& storm : storms) {
      for (std::int64_t i = below(random, 9); i >= 0; --i) {
        const std::int64_t away = far + below(random, far);
        storm.impacts.push_back({below(random, 2) == 0 ? -away : cells + away,
                                 static_cast<std::int32_t>(1 + below(random, 1000))});
      }
    }
    const std::int64_t beside = 1'000'000 + below(random, 10'000'000);
    // Then peaks have equals on the other side.
    if (seed % 4 == 0) storms = {{"mirrored", {{-beside, 100}, {cells - 1 + beside, 100}}}};
    const auto exact =
        make_exact_layer({.part = whole_layer(cells), .storms = 3, .threads = 1}, costs_too_much);
    for (const Storm& storm : storms) exact->add({storm.impacts}, false);
    const std::vector<CellRange> gaps{{10 + below(random, 20), 60},
                                      {61 + below(random, 20), cells - 5}};
    const std::vector<float> layer = by_the_rule({cells, storms}).layer;
    for (const std::size_t count : {1, 5}) {
      const std::vector<CellValue> highest = peaks_of(layer, gaps, count, 0);
      all_peaks += highest.size();
      const double best = highest.empty() ? 1 : highest.front().value;
      for (const double least : {0.0, best, 2 * best}) {
        const auto found = exact->peaks_of_gaps(gaps, storms.size(), count, least, infinite);
        ASSERT_TRUE(found.has_value());
        ASSERT_EQ(found->peaks, peaks_of(layer, gaps, count, least));
        if (found->peaks.empty()) continue;
        EXPECT_EQ(exact->peaks_of_gaps(gaps, storms.size(), count, least, 1), std::nullopt);
      }
      // A peak at the beginning and at the end of a gap.
      for (const CellValue& peak : highest) {
        const std::int64_t k = peak.position;
        for (const CellRange& gap : {CellRange{k, k + 40}, CellRange{k - 39, k + 1}}) {
          if (gap.begin < 5 || gap.end > cells - 5) continue;
          const auto found = exact->peaks_of_gaps({gap}, storms.size(), 1, 0, infinite);
          ASSERT_EQ(found->peaks, peaks_of(layer, {gap}, 1, 0)) << gap.begin;
        }
      }
    }
  }
  EXPECT_GT(all_peaks, cases(60));
}

TEST(ExactLayer, ImpactsThatCountInNoCellCostNothing) {
  const auto exact = make_exact_layer(
      {.part = whole_layer(1000), .storms = 2, .rule = {.threshold = 1}, .threads = 1},
      costs_too_much);
  Storm storm{"beside others", {{500, 9}}};
  exact->add({storm.impacts}, false);
  const double alone = exact->tiles({{499, 502}}, 1).interactions;
  exact->forget();
  for (std::int64_t i = 0; i < 50; ++i) storm.impacts.push_back({1'000'000'000'000 + i, 9});
  exact->add({storm.impacts}, false);
  EXPECT_EQ(exact->tiles({{499, 502}}, 1).interactions, alone);
}

}  // namespace
}  // namespace bombard
