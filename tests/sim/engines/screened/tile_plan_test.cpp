#include "sim/engines/screened/tile_plan.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sim/engines/screened/cell_ranges.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

using Ranges = std::vector<CellRange>;

TEST(PlanTiles, OneCandidateNeedsACone) {
  // Cells 49 .. 51 relaxed after the third storm: 48 .. 52 with its impacts, 47 .. 53 with the
  // second one's, and 46 .. 54 with the first one's.
  const std::vector<CellTile> tiles = plan_tiles({{49, 52}}, 3, 100, 1);
  ASSERT_EQ(tiles.size(), 2U);
  EXPECT_EQ(tiles[0].first, 46);
  EXPECT_EQ(tiles[0].cells, 8);
  EXPECT_EQ(tiles[0].rounds, 4);
  EXPECT_EQ(tiles[1].first, 54);
  EXPECT_EQ(tiles[1].cells, 1);
  EXPECT_EQ(tiles[1].rounds, 1);
  EXPECT_EQ(values_of(tiles), 11);
  EXPECT_EQ(value_of(46, tiles), 1);
  EXPECT_EQ(value_of(51, tiles), 6);
  EXPECT_EQ(value_of(54, tiles), 9);
  const std::vector<std::int64_t> ends{10, 30, 60};
  EXPECT_EQ(interactions(tiles, ends), 8 * 60 + 1 * 10);
}

TEST(PlanTiles, TilesAreAsNarrowAsTheDeviceIsWide) {
  std::vector<int> rounds;
  for (const CellTile& tile : plan_tiles({{49, 52}}, 3, 100, 1000)) rounds.push_back(tile.rounds);
  EXPECT_EQ(rounds, (std::vector{1, 2, 3, 4, 4, 4, 3, 2, 1}));
  EXPECT_EQ(plan_tiles({{49, 52}}, 3, 100, 4).size(), 5U);  // of two cells
}

TEST(PlanTiles, WithoutAStormNothingIsAdded) {
  const std::vector<CellTile> tiles = plan_tiles({{49, 52}}, 0, 100, 1);
  ASSERT_EQ(tiles.size(), 1U);
  EXPECT_EQ(tiles[0].rounds, 1);
  EXPECT_EQ(interactions(tiles, {}), 0);
}

/// Goes through the rounds with the cells whose values are right, instead of values.
void expect_plan_holds(const Ranges& wanted, std::int64_t storms, std::int64_t total,
                       std::int64_t at_once) {
  const std::vector<CellTile> tiles =
      plan_tiles(wanted, static_cast<std::size_t>(storms), total, at_once);
  std::set<std::int64_t> right;  // after the round before
  for (std::int64_t k = 0; k < total; ++k) right.insert(k);
  for (std::int64_t round = 0; round <= storms; ++round) {
    std::set<std::int64_t> now;
    for (const CellTile& tile : tiles) {
      ASSERT_TRUE(tile.cells >= 1 && tile.cells <= CellTile::most_cells);
      ASSERT_TRUE(tile.first >= 0 && tile.first + tile.cells <= total);
      if (round >= tile.rounds) continue;
      for (std::int64_t k = tile.first; k < tile.first + tile.cells; ++k) {
        const bool at_end = k == 0 || k == total - 1;
        if (right.contains(k) && (at_end || (right.contains(k - 1) && right.contains(k + 1)))) {
          now.insert(k);
          if (now.contains(k - 1)) {
            ASSERT_EQ(value_of(k, tiles), value_of(k - 1, tiles) + 1);
          }
        }
      }
    }
    right = std::move(now);
  }
  for (const CellRange& range : wanted) {
    for (std::int64_t k = range.begin; k < range.end; ++k) ASSERT_TRUE(right.contains(k)) << k;
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
    expect_plan_holds(widened(wanted, 0, total), 1 + below(random, 50), total,
                      1 + below(random, 100));
    if (HasFatalFailure()) FAIL() << "run " << run << ", " << total << " cells";
  }
}

}  // namespace
}  // namespace bombard
