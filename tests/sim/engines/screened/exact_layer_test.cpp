#include "sim/engines/screened/exact_layer.hpp"

#include <gtest/gtest.h>

#include "sim/engines/costs.hpp"
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
      std::vector<Storm> so_far;
      for (const Storm& storm : storms) {
        exact->add({storm.impacts});
        so_far.push_back(storm);
        if (below(random, 2) == 0) continue;
        const std::vector<float> layer = by_the_rule({cells, so_far}).layer;
        const ExactLayer::Tiles tiles = exact->tiles(random_ranges(random, cells));
        std::vector<float> expected;
        for (const CellRange& range : tiles.ranges) {
          expected.insert(expected.end(), layer.begin() + range.begin, layer.begin() + range.end);
        }
        ASSERT_EQ(exact->values(tiles), expected) << cells << " cells";
        EXPECT_TRUE(exact->values(exact->tiles({})).empty());
      }
      exact->clear();
    }
  }
}

// A cell needs two more for each storm after the first; and what a layer had before counts no more.
TEST(ExactLayer, CostsAreThoseOfTheConeAndOfNoStormBefore) {
  const std::vector<Impact> impacts(2000, {5000, 1});
  const EngineOptions options{.part = whole_layer(10'000), .storms = 20};
  const auto one_by_one = make_exact_layer(options, costs_too_much);
  double expected = 0;
  for (int storm = 1; storm <= 20; ++storm) {
    one_by_one->add({impacts});
    const int in_whole_vectors = (1 + 2 * storm + 15) / 16 * 16;
    expected += cost_of_narrow_range(in_whole_vectors, 2000);
  }
  EXPECT_EQ(one_by_one->tiles({{5000, 5001}}).interactions, expected);
  constexpr CountingCosts less_after_others{0, 0, 100, 0};
  const auto counting = make_exact_layer(options, less_after_others);
  counting->add({impacts});
  const double cost = counting->cost_directly({impacts});
  counting->clear();
  counting->add({impacts});
  EXPECT_EQ(counting->cost_directly({impacts}), cost);
}

}  // namespace
}  // namespace bombard
