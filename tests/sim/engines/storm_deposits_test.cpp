#include "sim/engines/storm_deposits.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "kernels/layer/cell_deposit.hpp"
#include "tests/kernels/base/instruction_sets.hpp"

namespace bombard {
namespace {

class WriteDeposits : public InstructionSetTest {};
class WriteCellDeposits : public InstructionSetTest {};
INSTANTIATE_TEST_SUITE_P(Sets, WriteDeposits, testing::ValuesIn(cpu::offered_instruction_sets()),
                         name_of_set);
INSTANTIATE_TEST_SUITE_P(Sets, WriteCellDeposits,
                         testing::ValuesIn(cpu::offered_instruction_sets()), name_of_set);

void expect_equal(const std::vector<Impact>& written, const std::vector<Impact>& expected) {
  ASSERT_EQ(written.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(written[i].position, expected[i].position) << i;
    EXPECT_EQ(written[i].energy, expected[i].energy) << i;
  }
}

void expect_equal(const std::vector<CellDeposit>& written,
                  const std::vector<CellDeposit>& expected) {
  ASSERT_EQ(written.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(written[i].cell, expected[i].cell) << i;
    EXPECT_EQ(written[i].energy, expected[i].energy) << i;
  }
}

TEST_P(WriteDeposits, CountsPositionsFromTheFirstCellAndLooksAtEnergies) {
  const std::vector<Impact> impacts{{12, 5}, {7, -3}, {100, 0}};
  std::vector<Impact> deposits(4, Impact{1, 1});
  const StormExtent found = write_deposits(impacts, 10, deposits.data());
  expect_equal(deposits, {{2, 5}, {-3, -3}, {90, 0}, {1, 1}});
  // The impact without energy is written, but lies nowhere.
  EXPECT_EQ(found, (StormExtent{
                       .impacts = 2, .lowest = 7, .highest = 12, .weakest = 3, .negative = true}));
}

TEST_P(WriteDeposits, AsOneByOneAtAwkwardSizes) {
  constexpr std::int32_t energies[] = {1,
                                       -1,
                                       7,
                                       -1000,
                                       0,
                                       std::numeric_limits<std::int32_t>::max(),
                                       std::numeric_limits<std::int32_t>::min()};
  std::mt19937_64 random(1);
  for (int size = 0; size < 40; ++size) {
    for (const int kinds : {1, 3, 4, 7}) {  // without and with negative ones, none, the largest
      SCOPED_TRACE(testing::Message() << size << " impacts, " << kinds << " energies");
      std::vector<Impact> impacts;
      StormExtent extent;
      std::vector<Impact> expected;
      for (int i = 0; i < size; ++i) {
        const auto position = static_cast<std::int64_t>(random() % (2 * largest_position + 1));
        impacts.push_back({position - largest_position, energies[random() % kinds]});
        extent.add(impacts.back());
        expected.push_back({impacts.back().position + 5, impacts.back().energy});
      }
      std::vector<Impact> deposits(impacts.size(), Impact{1, 1});
      EXPECT_EQ(write_deposits(impacts, -5, deposits.data()), extent);
      expect_equal(deposits, expected);
    }
  }
}

TEST_P(WriteCellDeposits, OthersGoApart) {
  const std::vector<Impact> impacts{{12, 5}, {9, -3}, {100, 0}, {10, 7}, {13, 1}, {14, 2}};
  std::vector<CellDeposit> deposits(7, CellDeposit{1, 1});
  std::vector<Impact> others{{4, 4}};
  write_cell_deposits(impacts, {10, 14}, deposits.data(), others);
  expect_equal(deposits, {{2, 5}, {0, 0}, {0, 0}, {0, 7}, {3, 1}, {0, 0}, {1, 1}});
  expect_equal(others, {{4, 4}, {-1, -3}, {90, 0}, {4, 2}});
}

TEST_P(WriteCellDeposits, OneOutsideAtAnyPlace) {
  constexpr std::int64_t first = -7, cells = 0xffffffff;
  std::mt19937_64 random(2);
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<Impact> impacts;
    std::vector<CellDeposit> inside;
    for (std::size_t i = 0; i < size; ++i) {
      const auto cell = static_cast<std::uint32_t>(random() % cells);
      const auto energy = static_cast<std::int32_t>(random());
      impacts.push_back({first + cell, energy});
      inside.push_back({cell, energy});
    }
    for (std::size_t place = 0; place <= size; ++place) {
      for (const std::int64_t beside : {first - 1, first + cells, largest_position}) {
        SCOPED_TRACE(testing::Message() << size << " impacts, at " << place << " " << beside);
        std::vector<Impact> some = impacts;
        std::vector<CellDeposit> expected = inside;
        std::vector<Impact> expected_others;
        if (place < size) {
          some[place].position = beside;
          expected[place] = {0, 0};
          expected_others.push_back({beside - first, some[place].energy});
        }
        std::vector<CellDeposit> deposits(size, CellDeposit{1, 1});
        std::vector<Impact> others;
        write_cell_deposits(some, {first, first + cells}, deposits.data(), others);
        expect_equal(deposits, expected);
        expect_equal(others, expected_others);
      }
    }
  }
}

}  // namespace
}  // namespace bombard
