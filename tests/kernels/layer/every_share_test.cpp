#include "kernels/layer/every_share.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/layer/attenuation.hpp"

namespace bombard {
namespace {

// e = 6 and T/L = 2: the share 6/sqrt(n) is 2 at n = 9, eight cells away.
constexpr float smallest = 2;

constexpr LayerRule<SquareRootLaw> rule{{}, {1, 1}, smallest};

bool every_one(const std::vector<ScaledImpact>& impacts, const CellRange& cells) {
  return every_share_counts(rule, extent_of(impacts), cells);
}

TEST(EveryShareCounts, WhereTheFarthestCellDoes) {
  const std::vector<ScaledImpact> impacts{{0, 6.0F}, {8, -6.0F}};
  EXPECT_TRUE(every_one(impacts, {0, 9}));
  EXPECT_FALSE(every_one(impacts, {0, 10}));
  EXPECT_FALSE(every_one(impacts, {-1, 9}));
}

// Cells 3 .. 8: from -5 the farthest is 13 cells away, n = 14, from 16 it is n = 14, too; 2
// sqrt(14) is 7.48.
TEST(EveryShareCounts, ForCellsOnOneSide) {
  for (const std::int64_t position : {-5, 16}) {
    EXPECT_FALSE(every_one({{position, 7.4F}}, {3, 9}));
    EXPECT_TRUE(every_one({{position, 7.5F}}, {3, 9}));
  }
}

// Every share counts, but the extent does not tell that the weak impact is near.
TEST(EveryShareCounts, TheExtentIsNotEnoughWhenTheWeakestIsNear) {
  EXPECT_FALSE(every_one({{4, 6.0F}, {100, 60.0F}}, {0, 9}));
}

TEST(EveryShareCounts, OfImpactsWithoutEnergy) {
  EXPECT_TRUE(every_one({}, {0, 9}));
  EXPECT_TRUE(every_one({{1'000'000, 0.0F}}, {0, 9}));
  EXPECT_TRUE(every_one({{1'000'000, 0.0F}, {4, 6.0F}}, {0, 9}));
}

// The answers against all shares of all impacts in all cells.
TEST(EveryShareCounts, AsEveryShareSays) {
  std::mt19937 random(1);
  const auto below = [&](unsigned bound) { return static_cast<std::int64_t>(random() % bound); };
  int yes = 0;
  for (int repeat = 0; repeat < 20'000; ++repeat) {
    const std::int64_t begin = below(20) - 10;
    const CellRange cells{begin, begin + 1 + below(12)};
    std::vector<ScaledImpact> impacts;
    for (std::int64_t i = below(4); i >= 0; --i) {
      const float energy = static_cast<float>(below(40)) - 12;
      impacts.push_back({below(30) - 15, energy});
    }
    bool expected = true;
    for (const ScaledImpact& impact : impacts) {
      for (std::int64_t k = cells.begin; k < cells.end; ++k) {
        const float share = impact.energy / SquareRootLaw::divisor(distance(impact.position, k));
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
