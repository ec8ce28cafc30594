// Sorting on the processor, and the keys that stand for values.

#include "kernels/bitonic_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/sort_key.hpp"
#include "tests/kernels/random_values.hpp"

using namespace bombard;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(SortKey, KeepsTheOrderAndComesBack) {
  const std::vector<float> rising{-infinity, -3e38F, -1.5F, -1e-45F, -0.0F,   0.0F,
                                  1e-45F,    1.0F,   1.5F,  3e38F,   infinity};
  for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
    for (std::size_t i = 0; i < rising.size(); ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(rising[i]);
      const std::uint32_t key = sort_key<float>(bits, order);
      EXPECT_EQ(value_of_sort_key<float>(key, order), bits);
      EXPECT_LT(key, sort_key<float>(std::bit_cast<std::uint32_t>(nan), order));
      EXPECT_LT(key, sort_key<float>(std::bit_cast<std::uint32_t>(-nan), order));
      if (i == 0) continue;
      const auto before = sort_key<float>(std::bit_cast<std::uint32_t>(rising[i - 1]), order);
      EXPECT_EQ(before < key, order == SortOrder::ascending) << i;
    }
    EXPECT_EQ(value_of_sort_key<float>(sort_key<float>(0xFFC00001, order), order), 0x7FC00001);
  }
}

TEST(SortKernel, ByHand) {
  std::vector<std::int32_t> integers{3, -2147483647 - 1, 7, 2147483647, -1, 3};
  cpu::sort<std::int32_t>(integers, SortOrder::ascending);
  EXPECT_EQ(integers, (std::vector<std::int32_t>{-2147483647 - 1, -1, 3, 3, 7, 2147483647}));
  cpu::sort<std::int32_t>(integers, SortOrder::descending);
  EXPECT_EQ(integers, (std::vector<std::int32_t>{2147483647, 7, 3, 3, -1, -2147483647 - 1}));
}

TEST(SortKernel, NaNComesLastInEitherOrder) {
  for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
    std::vector<float> values{nan, 1, infinity, -nan, -infinity, -2};
    cpu::sort<float>(values, order);
    std::vector<float> numbers(values.begin(), values.begin() + 4);
    std::vector<float> expected{-infinity, -2, 1, infinity};
    if (order == SortOrder::descending) std::ranges::reverse(expected);
    EXPECT_EQ(numbers, expected);
    EXPECT_TRUE(std::isnan(values[4]) && std::isnan(values[5]));
  }
}

TEST(SortKernel, AgainstStandardSort) {
  for (const std::int64_t size : {0, 1, 2, 3, 31, 1025, 300007}) {
    auto values = random_values<std::int32_t>(size, static_cast<unsigned>(size));
    auto expected = values;
    std::ranges::sort(expected, std::ranges::greater());
    cpu::sort<std::int32_t>(values, SortOrder::descending);
    EXPECT_EQ(values, expected) << size;
  }
}

}  // namespace
