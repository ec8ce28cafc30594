#include "sim/engines/storm_view.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace bombard {
namespace {

TEST(ExtentOfStorm, ByHand) {
  const std::vector<Impact> impacts{{12, 5}, {7, -3}, {100, 0}};
  EXPECT_EQ(
      extent_of(impacts),
      (StormExtent{.impacts = 2, .lowest = 7, .highest = 100, .weakest = 3, .negative = true}));
  EXPECT_EQ(extent_of({}), StormExtent{});
}

// By one thread, and by several: a piece has 2^18 impacts.
TEST(ExtentOfStorm, OfTheLargestNumbersWhereverTheyStand) {
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  for (const std::size_t size : {3U, 1000U, 1U << 18, (1U << 19) + 1}) {
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<Impact> impacts(size, {5, least});
      impacts[at] = {-largest_position, std::numeric_limits<std::int32_t>::max()};
      impacts[(at + 1) % size] = {largest_position, 0};
      const StormExtent expected{.impacts = static_cast<std::int64_t>(size) - 1,
                                 .lowest = -largest_position,
                                 .highest = largest_position,
                                 .weakest = (std::int64_t{1} << 31) - 1,
                                 .negative = true};
      EXPECT_EQ(extent_of(impacts), expected);
      EXPECT_EQ(extent_of(impacts, 3), expected);
    }
  }
}

}  // namespace
}  // namespace bombard
