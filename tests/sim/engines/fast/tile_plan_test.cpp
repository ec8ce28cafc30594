#include "sim/engines/fast/tile_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "sim/engines/fast/cell_ranges.hpp"

using bombard::CellRange;
using bombard::CellTile;
using bombard::plan_tiles;
using bombard::TileRound;
using bombard::widened;

namespace {

using Wanted = std::vector<std::vector<CellRange>>;

TEST(PlanTiles, OneCandidateStandsOnACone) {
  // Wanted are cells 49 .. 51 after the third storm: 48 .. 52 after the second, 47 .. 53 after the
  // first, from 46 .. 54 before it.
  const auto rounds = plan_tiles(Wanted{{}, {}, {{49, 52}}}, 100, 64);
  ASSERT_EQ(rounds.size(), 1U);
  EXPECT_EQ(rounds[0].first_storm, 0U);
  EXPECT_EQ(rounds[0].storms, 3U);
  ASSERT_EQ(rounds[0].tiles.size(), 1U);
  EXPECT_EQ(rounds[0].tiles[0].first, 46);
  EXPECT_EQ(rounds[0].tiles[0].cells, 9);
  EXPECT_EQ(rounds[0].tiles[0].before, -1);
  EXPECT_EQ(rounds[0].values, 9);
  const std::vector<std::int64_t> ends{10, 30, 60};
  EXPECT_EQ(interactions(rounds, ends), 9 * 60);
}

// 104 cells, and with one storm all but 4 of a tile are used up.
TEST(PlanTiles, TilesAreAsNarrowAsTheDeviceIsWide) {
  const Wanted wanted{{{100, 202}}};
  EXPECT_EQ(plan_tiles(wanted, 1000, 100)[0].tiles.size(), 25U);  // of 8 cells
  EXPECT_EQ(plan_tiles(wanted, 1000, 10)[0].tiles.size(), 9U);    // of 16: 12 more each
  EXPECT_EQ(plan_tiles(wanted, 1000, 1)[0].tiles.size(), 2U);     // of 56
}

/// Goes through the plan with sets of cells instead of values: what a tile knows when, and whether
/// it reads what was left for it.
void expect_plan_holds(const Wanted& wanted, std::int64_t total, std::int64_t at_once) {
  std::vector<std::set<std::int64_t>> seen(wanted.size());  // cells whose neighbours are known, too
  std::map<std::int64_t, std::int64_t> left;                // place -> cell
  for (const TileRound& round : plan_tiles(wanted, total, at_once)) {
    std::map<std::int64_t, std::int64_t> leaving;
    for (const CellTile& tile : round.tiles) {
      ASSERT_LE(tile.cells, CellTile::most_cells);
      ASSERT_LE(round.storms, static_cast<std::size_t>(bombard::TileStorms::most));
      ASSERT_LE(tile.first + tile.cells, total);
      for (std::int64_t i = 0; i < tile.cells; ++i) {
        if (round.first_storm == 0) {
          ASSERT_EQ(tile.before, -1);
        } else {
          ASSERT_EQ(left.at(tile.before + i), tile.first + i);
        }
      }
      std::int64_t low = tile.first, high = tile.first + tile.cells - 1;
      for (std::size_t storm = 0; storm < round.storms; ++storm) {
        if (low > 0) ++low;
        if (high < total - 1) --high;
        for (std::int64_t k = low + 1; k < high; ++k) seen[round.first_storm + storm].insert(k);
      }
      for (std::int64_t k = low; k <= high; ++k) {
        ASSERT_LT(tile.after + (k - tile.first), round.values);
        leaving[tile.after + (k - tile.first)] = k;
      }
    }
    left = std::move(leaving);
  }
  for (std::size_t storm = 0; storm < wanted.size(); ++storm) {
    for (const CellRange& range : wanted[storm]) {
      for (std::int64_t k = range.begin + 1; k < range.end - 1; ++k) {
        ASSERT_TRUE(seen[storm].contains(k)) << "cell " << k << " after storm " << storm;
      }
    }
  }
}

TEST(PlanTiles, EveryWantedCellIsKnownInTime) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 300; ++run) {
    const auto total = static_cast<std::int64_t>(3 + random() % 400);
    Wanted wanted(1 + random() % 50);
    for (std::vector<CellRange>& ranges : wanted) {
      for (std::int64_t k = static_cast<std::int64_t>(random() % 300); k + 2 < total;
           k += 1 + static_cast<std::int64_t>(random() % 200)) {
        ranges.push_back(
            {k, std::min<std::int64_t>(total, k + 3 + static_cast<std::int64_t>(random() % 80))});
      }
      ranges = widened(ranges, 0, total);
    }
    expect_plan_holds(wanted, total, 1 + static_cast<std::int64_t>(random() % 20));
    if (testing::Test::HasFatalFailure()) FAIL() << "run " << run;
  }
}

}  // namespace
