// Sorting on the processor, and the keys that stand for values.

#include "solvers/sort/sort_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/sort/sort_key.hpp"
#include "tests/kernels/base/random_values.hpp"

using namespace bombard;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Keys of `rising` values, below those of the two NaN, whose bits the other arguments are.
template <class T>
void keeps_the_order_and_comes_back(const std::vector<T>& rising, SortKey<T> nan,
                                    SortKey<T> negative_nan) {
  for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
    for (std::size_t i = 0; i < rising.size(); ++i) {
      const auto bits = std::bit_cast<SortKey<T>>(rising[i]);
      const SortKey<T> key = sort_key<T>(bits, order);
      EXPECT_EQ(value_of_sort_key<T>(key, order), bits);
      EXPECT_LT(key, sort_key<T>(nan, order));
      EXPECT_LT(key, sort_key<T>(negative_nan, order));
      if (i == 0) continue;
      const auto before = sort_key<T>(std::bit_cast<SortKey<T>>(rising[i - 1]), order);
      EXPECT_EQ(before < key, order == SortOrder::ascending) << i;
    }
    EXPECT_EQ(value_of_sort_key<T>(sort_key<T>(negative_nan, order), order), nan);
  }
}

TEST(SortKey, KeepsTheOrderAndComesBack) {
  keeps_the_order_and_comes_back<float>(
      {-infinity, -3e38F, -1.5F, -1e-45F, -0.0F, 0.0F, 1e-45F, 1.0F, 1.5F, 3e38F, infinity},
      0x7F800001, 0xFF800001);
  keeps_the_order_and_comes_back<double>({-infinity, -1e308, -3e38, -1.5, -5e-324, -0.0, 0.0,
                                          5e-324, 1.0, 1 + 0x1p-52, 1.5, 1e308, infinity},
                                         0x7FF0000000000001, 0xFFF0000000000001);
  EXPECT_EQ(sort_key<double>(0, SortOrder::ascending), 0x8000000000000000);
  EXPECT_EQ(sort_key<double>(0, SortOrder::descending), 0x7FFFFFFFFFFFFFFF);
  EXPECT_EQ(sort_key<float>(0, SortOrder::ascending), 0x80000000U);
}

TEST(SortKernel, ByHand) {
  std::vector<std::int32_t> integers{3, -2147483647 - 1, 7, 2147483647, -1, 3};
  cpu::sort<std::int32_t>(integers, SortOrder::ascending);
  EXPECT_EQ(integers, (std::vector<std::int32_t>{-2147483647 - 1, -1, 3, 3, 7, 2147483647}));
  cpu::sort<std::int32_t>(integers, SortOrder::descending);
  EXPECT_EQ(integers, (std::vector<std::int32_t>{2147483647, 7, 3, 3, -1, -2147483647 - 1}));
}

template <class T>
void nan_comes_last() {
  for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
    std::vector<T> values{nan, 1, infinity, -nan, -infinity, -2};
    cpu::sort<T>(values, order);
    std::vector<T> numbers(values.begin(), values.begin() + 4);
    std::vector<T> expected{-infinity, -2, 1, infinity};
    if (order == SortOrder::descending) std::ranges::reverse(expected);
    EXPECT_EQ(numbers, expected);
    EXPECT_TRUE(std::isnan(values[4]) && std::isnan(values[5]));
  }
}

TEST(SortKernel, NaNComesLastInEitherOrder) {
  nan_comes_last<float>();
  nan_comes_last<double>();
}

template <class T>
void against_standard_sort(std::int64_t size) {
  auto values = random_values<T>(size, static_cast<unsigned>(size));
  auto expected = values;
  std::ranges::sort(expected, std::ranges::greater());
  cpu::sort<T>(values, SortOrder::descending);
  EXPECT_EQ(values, expected) << size;
}

TEST(SortKernel, AgainstStandardSort) {
  for (const std::int64_t size : {0, 1, 2, 3, 31, 1025, 300007}) {
    against_standard_sort<std::int32_t>(size);
    against_standard_sort<double>(size);
  }
}

/// Pieces and what they are merged by: many keys, few distinct ones and those of the first piece
/// far below the others, so that a regular part of the sample is no regular part of each piece.
TEST(SortKernel, SortsAsWellByTheStepsThatAnInterruptAsksFor) {
  auto values = random_values<std::int32_t>(9'000'001, 7);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % 3 == 0) values[i] %= 5;
    if (i < 4'000'000) values[i] /= 1000;
  }
  auto expected = values;
  std::ranges::sort(expected);
  const auto before = values;
  int calls = 0;
  EXPECT_THROW(cpu::sort<std::int32_t>(values, SortOrder::ascending,
                                       [&] {
                                         if (++calls == 5) throw calls;
                                       }),
               int);
  EXPECT_EQ(values, before);
  calls = 0;
  cpu::sort<std::int32_t>(values, SortOrder::ascending, [&] { ++calls; });
  EXPECT_TRUE(values == expected);
  EXPECT_GE(calls, 6);
}

}  // namespace
