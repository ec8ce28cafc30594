#include "sim/engines/storm_extent.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "tests/kernels/base/instruction_sets.hpp"

namespace bombard {
namespace {

class ExtentOfStorm : public InstructionSetTest {};
INSTANTIATE_TEST_SUITE_P(Sets, ExtentOfStorm, testing::ValuesIn(cpu::offered_instruction_sets()),
                         name_of_set);

TEST_P(ExtentOfStorm, ImpactsWithoutEnergyLieNowhere) {
  const std::vector<Impact> impacts{{12, 5}, {7, -3}, {100, 0}};
  EXPECT_EQ(
      extent_of(impacts),
      (StormExtent{.impacts = 2, .lowest = 7, .highest = 12, .weakest = 3, .negative = true}));
}

TEST_P(ExtentOfStorm, AsOneByOneAtAwkwardSizes) {
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
      StormExtent expected;
      for (int i = 0; i < size; ++i) {
        const auto position = static_cast<std::int64_t>(random() % (2 * largest_position + 1));
        impacts.push_back({position - largest_position, energies[random() % kinds]});
        expected.add(impacts.back());
      }
      EXPECT_EQ(extent_of(impacts), expected);
      std::vector<Impact> copy(impacts.size() + 1, Impact{1, 1});
      EXPECT_EQ(copied(impacts, copy.data()), expected);
      EXPECT_EQ(copy.back().position, 1);  // nothing behind the last
      for (std::size_t i = 0; i < impacts.size(); ++i) {
        ASSERT_EQ(copy[i].position, impacts[i].position);
        ASSERT_EQ(copy[i].energy, impacts[i].energy);
      }
    }
  }
}

}  // namespace
}  // namespace bombard
