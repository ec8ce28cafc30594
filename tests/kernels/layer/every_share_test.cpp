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

bool by_extent(const std::vector<ScaledImpact>& impacts, const CellRange& cells) {
  return every_share_counts<SquareRootLaw>(extent_of(impacts), cells, smallest);
}
bool in_full(const std::vector<ScaledImpact>& impacts, const CellRange& cells) {
  const auto itself = [](const ScaledImpact& impact) { return impact; };
  return every_share_counts<SquareRootLaw>(extent_of(impacts), impacts, itself, cells, smallest);
}

TEST(EveryShareCounts, WhereTheFarthestCellDoes) {
  const std::vector<ScaledImpact> impacts{{0, 6.0F}, {8, -6.0F}};
  for (const auto& counts : {by_extent, in_full}) {
    EXPECT_TRUE(counts(impacts, {0, 9}));
    EXPECT_FALSE(counts(impacts, {0, 10}));
    EXPECT_FALSE(counts(impacts, {-1, 9}));
  }
}

// Cells 3 .. 8: from -5 the farthest is 13 cells away, n = 14, from 16 it is n = 14, too; 2
// sqrt(14) is 7.48.
TEST(EveryShareCounts, ForCellsOnOneSide) {
  for (const std::int64_t position : {-5, 16}) {
    EXPECT_FALSE(by_extent({{position, 7.4F}}, {3, 9}));
    EXPECT_TRUE(by_extent({{position, 7.5F}}, {3, 9}));
  }
}

TEST(EveryShareCounts, TheExtentIsNotEnoughWhenTheWeakestIsNear) {
  const std::vector<ScaledImpact> impacts{{4, 6.0F}, {100, 60.0F}};
  EXPECT_FALSE(by_extent(impacts, {0, 9}));
  EXPECT_TRUE(in_full(impacts, {0, 9}));
}

TEST(EveryShareCounts, OfImpactsWithoutEnergy) {
  EXPECT_TRUE(by_extent({}, {0, 9}));
  EXPECT_TRUE(by_extent({{1'000'000, 0.0F}}, {0, 9}));
  EXPECT_TRUE(by_extent({{1'000'000, 0.0F}, {4, 6.0F}}, {0, 9}));
  EXPECT_TRUE(in_full({{1'000'000, 0.0F}, {4, 6.0F}, {100, 60.0F}}, {0, 9}));
}

// The answers against all shares of all impacts in all cells.
TEST(EveryShareCounts, AsEveryShareSays) {
  std::mt19937 random(1);
  const auto below = [&](unsigned bound) { return static_cast<std::int64_t>(random() % bound); };
  int yes = 0, only_in_full = 0;
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
    ASSERT_EQ(in_full(impacts, cells), expected);
    if (by_extent(impacts, cells)) {
      ASSERT_TRUE(expected);
    } else {
      only_in_full += expected;
    }
    yes += expected;
  }
  EXPECT_GT(yes, 1000);
  EXPECT_LT(yes, 19'000);
  EXPECT_GT(only_in_full, 100);
}

}  // namespace
}  // namespace bombard
