#include "sim/storm_extent.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bombard {
namespace {

TEST(WriteDeposits, CountsPositionsFromTheFirstCellAndLooksAtEnergies) {
  const std::vector<Impact> impacts{{12, 5}, {7, -3}, {100, 0}};
  std::vector<Deposit> deposits(4, Deposit{1, 1, 1});
  const StormExtent found = write_deposits(impacts, 10, deposits.data());
  const std::vector<Deposit> expected{{2, 5, 0}, {-3, -3, 0}, {90, 0, 0}, {1, 1, 1}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(deposits[i].position, expected[i].position) << i;
    EXPECT_EQ(deposits[i].energy, expected[i].energy) << i;
    EXPECT_EQ(deposits[i].uncertainty, expected[i].uncertainty) << i;
  }
  // The impact without energy is written, but lies nowhere.
  EXPECT_EQ(found.impacts, 2);
  EXPECT_EQ(found.lowest, 7);
  EXPECT_EQ(found.highest, 12);
  EXPECT_EQ(found.weakest, 3);
  EXPECT_TRUE(found.negative);
}

}  // namespace
}  // namespace bombard
