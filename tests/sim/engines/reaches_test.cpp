#include "sim/engines/reaches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/random_storms.hpp"

namespace bombard {
namespace {

const LayerRule<SquareRootLaw> rule{{}, {1, 1000}, 0.001F};

TEST(Reaches, AreThoseOfTheRule) {
  Reaches reaches(rule);
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (const std::int32_t energy :
         {0, 1, -1, 2, 149, -150, 65535, 65536, -65537, 2'000'000'000,
          std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()}) {
      EXPECT_EQ(reaches.of(energy), reach(rule, energy)) << energy;
    }
  }
}

// An impact of 60 has e = 6; T/L = 2: the share 6/sqrt(n) is 2 at n = 9, eight cells away.
constexpr float smallest = 2;

constexpr LayerRule<SquareRootLaw> root_rule{{}, {1, 10}, smallest};

bool every_one(const std::vector<Impact>& impacts, const CellRange& cells) {
  return every_share_counts(root_rule, extent_of(impacts), cells);
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
        const float share =
            root_rule.energy(impact.energy) / SquareRootLaw::divisor(distance(impact.position, k));
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

// Counted cell by cell.
TEST(MostInACell, IsAnUpperBoundAndNear) {
  Random random(5);
  for (const std::int64_t cells : {1, 2, 900, 1024, 1025, 5000}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const CellRange held{below(random, 1000), below(random, 1000) + cells};
      if (held.count() <= 0) continue;
      std::vector<Impact> impacts;
      for (int i = 0; i < 50; ++i) {
        const std::int64_t position = below(random, 3 * held.end) - held.end;
        impacts.push_back({position, static_cast<std::int32_t>(below(random, 50))});
      }
      std::vector<std::int64_t> reach_of;
      for (std::int32_t energy = 0; energy < 50; ++energy) reach_of.push_back(reach(rule, energy));
      std::int64_t exact = 0;
      for (std::int64_t k = held.begin; k < held.end; ++k) {
        exact = std::max(exact, std::ranges::count_if(impacts, [&](const Impact& impact) {
                           return std::abs(impact.position - k) <
                                  reach_of[static_cast<std::size_t>(impact.energy)];
                         }));
      }
      Reaches reaches(rule);
      const std::int64_t found = most_in_a_cell(impacts, reaches, held);
      EXPECT_GE(found, exact);
      EXPECT_LE(found, exact + 3);
      if (held.count() <= 1024) {
        EXPECT_EQ(found, exact);
      }
    }
  }
}

TEST(MostInACell, OfImpactsThatReachEverywhere) {
  const LayerRule<SquareRootLaw> all{{}, {1, 1}, 0};
  Reaches reaches(all);
  const std::int64_t far = std::int64_t{1} << 61;
  EXPECT_EQ(
      most_in_a_cell(std::vector<Impact>{{-far, 1}, {far, 2}, {5, 3}, {5, 0}}, reaches, {0, 10}),
      3);
}

}  // namespace
}  // namespace bombard
