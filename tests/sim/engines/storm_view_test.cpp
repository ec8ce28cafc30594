#include "sim/engines/storm_view.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/random_storms.hpp"

namespace bombard {
namespace {

// By hand; by one thread, and by several: a piece has 2^18 impacts.
TEST(ExtentOfStorm, OfTheLargestNumbersWhereverTheyStand) {
  const std::vector<Impact> few{{12, 5}, {7, -3}, {100, 0}};
  EXPECT_EQ(
      extent_of(few),
      (StormExtent{.impacts = 2, .lowest = 7, .highest = 100, .weakest = 3, .negative = true}));
  EXPECT_EQ(extent_of({}), StormExtent{});
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  for (const std::size_t size : {3U, 1000U, 1U << 18, (1U << 19) + 1}) {
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<Impact> impacts(size, {5, least});
      impacts[at] = {-largest_position, std::numeric_limits<std::int32_t>::max()};
      impacts[(at + 1) % size] = {largest_position, 0};
      const StormExtent expected{.impacts = static_cast<std::int64_t>(size) - 1,
                                 .lowest = -largest_position,
                                 .highest = largest_position,
                                 .weakest = (std::int64_t{1} << 31) - 1,
                                 .negative = true};
      EXPECT_EQ(extent_of(impacts), expected);
      EXPECT_EQ(extent_of(impacts, 3), expected);
    }
  }
}

// An impact of 60 has e = 6; T/L = 2: the share 6/sqrt(n) is 2 at n = 9, eight cells away.
constexpr float smallest = 2;

constexpr LayerRule rule{{1, 10}, smallest};

bool every_one(const std::vector<Impact>& impacts, const CellRange& cells) {
  return every_share_counts(rule, extent_of(impacts), cells);
}

TEST(EveryShareCounts, WhereTheFarthestCellDoes) {
  const std::vector<Impact> impacts{{0, 60}, {8, -60}};
  EXPECT_TRUE(every_one(impacts, {0, 9}));
  EXPECT_FALSE(every_one(impacts, {0, 10}));
  EXPECT_FALSE(every_one(impacts, {-1, 9}));
  EXPECT_TRUE(every_one({}, {0, 9}));
  EXPECT_TRUE(every_one({{1'000'000, 0}}, {0, 9}));
}

// The answers against all shares of all impacts in all cells.
TEST(EveryShareCounts, AsEveryShareSays) {
  Random random(1);
  int yes = 0;
  for (int repeat = 0; repeat < 20'000; ++repeat) {
    const std::int64_t begin = below(random, 20) - 10;
    const CellRange cells{begin, begin + 1 + below(random, 12)};
    std::vector<Impact> impacts;
    for (std::int64_t i = below(random, 4); i >= 0; --i) {
      const auto energy = static_cast<std::int32_t>(10 * below(random, 40) - 120);
      impacts.push_back({below(random, 30) - 15, energy});
    }
    bool expected = true;
    for (const Impact& impact : impacts) {
      for (std::int64_t k = cells.begin; k < cells.end; ++k) {
        const float share = rule.share(rule.energy(impact.energy), distance(impact.position, k));
        expected &= impact.energy == 0 || counts(share, smallest);
      }
    }
    if (every_one(impacts, cells)) {
      ASSERT_TRUE(expected);
      ++yes;
    } else {
      ASSERT_FALSE(expected && impacts.size() == 1);
    }
  }
  EXPECT_GT(yes, 1000);
  EXPECT_LT(yes, 19'000);
}

}  // namespace
}  // namespace bombard
