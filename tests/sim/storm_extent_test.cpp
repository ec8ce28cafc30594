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

TEST(WriteCellDeposits, OthersGoApart) {
  const std::vector<Impact> impacts{{12, 5}, {9, -3}, {100, 0}, {10, 7}, {13, 1}, {14, 2}};
  std::vector<CellDeposit> deposits(7, CellDeposit{1, 1});
  std::vector<Deposit> others{{4, 4, 0}};
  write_cell_deposits(impacts, 10, 4, deposits.data(), others);
  const std::vector<CellDeposit> expected{{2, 5}, {0, 0}, {0, 0}, {0, 7}, {3, 1}, {0, 0}, {1, 1}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(deposits[i].cell, expected[i].cell) << i;
    EXPECT_EQ(deposits[i].energy, expected[i].energy) << i;
  }
  const std::vector<Deposit> expected_others{{4, 4, 0}, {-1, -3, 0}, {90, 0, 0}, {4, 2, 0}};
  ASSERT_EQ(others.size(), expected_others.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_EQ(others[i].position, expected_others[i].position) << i;
    EXPECT_EQ(others[i].energy, expected_others[i].energy) << i;
  }
}

}  // namespace
}  // namespace bombard
