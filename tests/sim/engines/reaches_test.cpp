#include "sim/engines/reaches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

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

// Counted cell by cell.
TEST(MostInACell, IsAnUpperBoundAndNear) {
  std::mt19937 random(5);
  const auto below = [&](unsigned bound) { return static_cast<std::int64_t>(random() % bound); };
  for (const std::int64_t cells : {1, 2, 900, 1024, 1025, 5000}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const CellRange held{below(1000), below(1000) + cells};
      if (held.count() <= 0) continue;
      std::vector<Impact> impacts;
      for (int i = 0; i < 50; ++i) {
        const std::int64_t position = below(static_cast<unsigned>(3 * held.end)) - held.end;
        impacts.push_back({position, static_cast<std::int32_t>(below(50))});
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
