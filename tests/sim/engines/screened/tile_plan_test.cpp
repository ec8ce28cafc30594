#include "sim/engines/screened/tile_plan.hpp"

#include <gtest/gtest.h>

#include <map>

#include "sim/engines/screened/cell_ranges.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

using Ranges = std::vector<CellRange>;

TEST(PlanTiles, OneCandidateNeedsACone) {
  // Cells 49 .. 51 after the third storm need 48 .. 52 after the second, 47 .. 53 after the first,
  // and 46 .. 54 before it.
  const auto rounds = plan_tiles({{49, 52}}, 3, 100, 64);
  ASSERT_EQ(rounds.size(), 1U);
  ASSERT_EQ(rounds[0].tiles.size(), 1U);
  EXPECT_EQ(rounds[0].tiles[0].first, 46);
  EXPECT_EQ(rounds[0].tiles[0].cells, 9);
  EXPECT_EQ(number_of(rounds[0].ranges, 49), 3);
  const std::vector<std::int64_t> ends{10, 30, 60, 61, 62, 63, 64, 65, 75};
  EXPECT_EQ(interactions(rounds, ends), 9 * 60);
  // Before nine storms, in rounds of eight and of one, 40 .. 60 are needed, and then 48 .. 52.
  EXPECT_EQ(interactions(plan_tiles({{49, 52}}, 9, 100, 1), ends), 21 * 65 + 5 * 10);
}

TEST(PlanTiles, NothingIsDoneWithoutAStorm) {
  EXPECT_TRUE(plan_tiles({{49, 52}}, 0, 100, 64).empty());
}

// 104 cells, and with one storm all but 2 of a tile are used up.
TEST(PlanTiles, TilesAreAsNarrowAsTheDeviceIsWide) {
  const Ranges wanted{{100, 202}};
  EXPECT_EQ(plan_tiles(wanted, 1, 1000, 100)[0].tiles.size(), 17U);  // of 8 cells
  EXPECT_EQ(plan_tiles(wanted, 1, 1000, 10)[0].tiles.size(), 17U);   // in two goes: 16 cells
  EXPECT_EQ(plan_tiles(wanted, 1, 1000, 8)[0].tiles.size(), 8U);     // of 16 cells
  EXPECT_EQ(plan_tiles(wanted, 1, 1000, 1)[0].tiles.size(), 3U);     // of 36
}

/// Goes through the plan with numbers of cells instead of values: what a tile knows when, and
/// whether it reads what was left for it.
void expect_plan_holds(const Ranges& wanted, std::size_t storms, std::int64_t total,
                       std::int64_t at_once) {
  std::map<std::int64_t, std::int64_t> left;  // number of a value -> cell
  Ranges ranges;
  std::size_t done = 0;
  for (const TileRound& round : plan_tiles(wanted, storms, total, at_once)) {
    ASSERT_EQ(round.first_storm, done);
    done += round.storms;
    std::map<std::int64_t, std::int64_t> leaving;
    for (const CellTile& tile : round.tiles) {
      ASSERT_LE(tile.cells, CellTile::most_cells);
      ASSERT_LE(round.storms, static_cast<std::size_t>(TileStorms::most));
      ASSERT_GE(tile.first, 0);
      ASSERT_LE(tile.first + tile.cells, total);
      for (std::int64_t i = 0; i < tile.cells; ++i) {
        if (round.first_storm == 0) {
          ASSERT_EQ(tile.before, -1);
        } else {
          ASSERT_EQ(left.at(tile.before + i), tile.first + i);
        }
      }
      const auto used_up = static_cast<std::int64_t>(round.storms);
      const std::int64_t low = tile.first > 0 ? used_up : 0;
      const std::int64_t high = tile.cells - (tile.first + tile.cells < total ? used_up : 0);
      for (std::int64_t i = low; i < high; ++i) {
        ASSERT_LT(tile.after + i, round.values);
        leaving[tile.after + i] = tile.first + i;
      }
    }
    left = std::move(leaving);
    ranges = round.ranges;
  }
  ASSERT_EQ(done, storms);
  for (const CellRange& range : wanted) {
    for (std::int64_t k = range.begin; k < range.end; ++k) {
      ASSERT_EQ(left.at(number_of(ranges, k)), k);
    }
  }
}

TEST(PlanTiles, EveryWantedCellIsKnownInTime) {
  Random random(1);
  for (int run = 0; run < 300; ++run) {
    const std::int64_t total = 3 + below(random, 400);
    Ranges wanted;
    for (std::int64_t k = below(random, 300); k + 2 < total; k += 1 + below(random, 200)) {
      wanted.push_back({k, std::min(total, k + 3 + below(random, 80))});
    }
    const auto storms = static_cast<std::size_t>(1 + below(random, 50));
    expect_plan_holds(widened(wanted, 0, total), storms, total, 1 + below(random, 20));
    if (HasFatalFailure()) FAIL() << "run " << run;
  }
}

}  // namespace
}  // namespace bombard
