#include "sim/engines/screened/exact_layer.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sim/engines/screened/cell_ranges.hpp"
#include "tests/oracle.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

/// Costs by which each storm is counted, and none is.
constexpr CountingCosts costs_nothing{0, 0, 0, 0, 0};
constexpr CountingCosts costs_too_much{2, 0, 0, 0, 0};

/// Storms pending on a layer, the same for the oracle.
struct Pending {
  std::vector<Storm> storms;
  std::vector<oracle::Storm> of_oracle;
};

Pending random_pending(Random& random, std::int64_t cells, std::int64_t most_impacts) {
  Pending pending;
  for (std::int64_t left = 1 + below(random, 4); left > 0; --left) {
    auto impacts = random_impacts(random, below(random, most_impacts), -50, cells + 50);
    pending.of_oracle.emplace_back();
    for (const Impact& impact : impacts) {
      pending.of_oracle.back().push_back({impact.position, impact.energy});
    }
    pending.storms.push_back({"random", std::move(impacts)});
  }
  return pending;
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
    const Pending made = random_pending(random, cells, counts ? 3000 : 300);
    const auto exact = make_exact_layer({.part = whole_layer(cells),
                                         .storms = 9,
                                         .keep_layer = false,
                                         .threads = static_cast<int>(1 + below(random, 3))},
                                        counts ? costs_nothing : costs_too_much);
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (const Storm& storm : made.storms) {
        exact->add({storm.impacts}, &storm == &made.storms.back());
      }
      const std::vector<float> layer = oracle::bombard(cells, made.of_oracle).layer;
      const ExactLayer::Tiles tiles = exact->tiles(random_ranges(random, cells));
      const std::vector<float> values = exact->values(tiles);
      auto value = values.begin();
      for (const CellRange& range : tiles.ranges) {
        for (std::int64_t k = range.begin; k < range.end; ++k) {
          ASSERT_EQ(*value++, layer[static_cast<std::size_t>(k)]) << k << " of " << cells;
        }
      }
      ASSERT_EQ(value, values.end());
      exact->reset();
    }
  }
}

// All the arithmetic for two storms, and others pending on the layer that they leave.
TEST(ExactLayer, PendingStormsFallOnTheLayerThatIsKnown) {
  for (std::uint64_t seed = 1; seed <= cases(40); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::int64_t cells = 1 + below(random, 3000);
    const Pending first = random_pending(random, cells, 200);
    const Pending then = random_pending(random, cells, 200);
    const auto exact = make_exact_layer({.part = whole_layer(cells), .storms = 9, .threads = 2});
    const auto all = first.of_oracle;
    exact->apply(views_of(first.storms));
    EXPECT_EQ(std::get<std::vector<float>>(exact->layer()), oracle::bombard(cells, all).layer);
    for (const Storm& storm : then.storms) exact->add({storm.impacts}, false);
    std::vector<oracle::Storm> both = all;
    both.insert(both.end(), then.of_oracle.begin(), then.of_oracle.end());
    const ExactLayer::Tiles tiles = exact->tiles({{0, cells}});
    EXPECT_EQ(exact->values(tiles), oracle::bombard(cells, both).layer);
  }
}

}  // namespace
}  // namespace bombard
