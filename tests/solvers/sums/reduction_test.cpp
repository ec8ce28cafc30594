// Sum, minimum and maximum on the processor against plain loops.

#include "solvers/sums/reduction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/kernels/base/random_values.hpp"

using namespace bombard;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Sum, ByHand) {
  EXPECT_EQ(cpu::sum<double>(std::vector<double>{0.5, 1, 2, -0.25}), 3.25);
  EXPECT_EQ(cpu::sum<float>(std::vector<float>{1e8F, 1, -1e8F}), 1.0);
  EXPECT_EQ(cpu::sum<std::int32_t>(std::vector<std::int32_t>{2147483647, 2147483647, 1}),
            4294967295);
}

TEST(Sum, KeepsWhatLargerOnesHide) {
  EXPECT_EQ(cpu::sum<double>(std::vector<double>{1e16, 1, -1e16}), 1);
  for (const std::int64_t size : {5, 17, 1000, 200'000}) {
    std::vector<double> values(static_cast<std::size_t>(size), 1);
    values[1] = 1e16;
    values[values.size() - 1] = -1e16;
    EXPECT_EQ(cpu::sum<double>(values), static_cast<double>(size - 2)) << size;
  }
}

TEST(Sum, OfInfinities) {
  for (const std::size_t size : {2U, 40U, 200'000U}) {
    std::vector<double> values(size, 1);
    values[0] = INFINITY;
    EXPECT_EQ(cpu::sum<double>(values), INFINITY);
    values[size - 1] = -INFINITY;
    const double sum = cpu::sum<double>(values);
    EXPECT_TRUE(std::isnan(sum));
    EXPECT_FALSE(std::signbit(sum));
  }
}

TEST(Extremes, ByHand) {
  const std::vector<std::int32_t> integers{3, -7, 11, -7};
  EXPECT_EQ(cpu::minimum<std::int32_t>(integers), -7);
  EXPECT_EQ(cpu::maximum<std::int32_t>(integers), 11);
  const std::vector<double> numbers{0.5, -0.25, 0.125};
  EXPECT_EQ(cpu::minimum<double>(numbers), -0.25);
  EXPECT_EQ(cpu::maximum<double>(numbers), 0.5);
}

TEST(Reductions, EmptyGivesTheIdentity) {
  EXPECT_EQ(cpu::sum<float>({}), 0);
  EXPECT_EQ(cpu::minimum<float>({}), INFINITY);
  EXPECT_EQ(cpu::maximum<double>({}), -INFINITY);
  EXPECT_EQ(cpu::minimum<std::int32_t>({}), 2147483647);
  EXPECT_EQ(cpu::maximum<std::int32_t>({}), -2147483647 - 1);
}

TEST(Extremes, NaNWhereverItStands) {
  for (const std::size_t size : {1U, 2U, 33U, 65537U, 200000U}) {
    for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<double> values(size, 1.0);
      values[place] = nan;
      EXPECT_TRUE(std::isnan(cpu::minimum<double>(values))) << size << " " << place;
      EXPECT_TRUE(std::isnan(cpu::maximum<double>(values))) << size << " " << place;
    }
  }
}

template <class T>
void zeros_of_both_signs() {
  for (const std::size_t size : {2U, 33U, 65537U, 200000U}) {
    for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<T> values(size, T{0});
      values[place] = -T{0};
      EXPECT_TRUE(std::signbit(cpu::minimum<T>(values))) << size << " " << place;
      EXPECT_FALSE(std::signbit(cpu::maximum<T>(values))) << size << " " << place;
      std::ranges::fill(values, -T{0});
      EXPECT_TRUE(std::signbit(cpu::maximum<T>(values))) << size;
      values[place] = T{0};
      EXPECT_TRUE(std::signbit(cpu::minimum<T>(values))) << size << " " << place;
      EXPECT_FALSE(std::signbit(cpu::maximum<T>(values))) << size << " " << place;
      std::ranges::fill(values, T{0});
      EXPECT_FALSE(std::signbit(cpu::minimum<T>(values))) << size;
    }
  }
}

TEST(Extremes, MinusZeroIsBelowZero) {
  zeros_of_both_signs<float>();
  zeros_of_both_signs<double>();
}

template <class T>
void against_loop() {
  for (const std::int64_t size : {1, 2, 3, 31, 32, 33, 1023, 65535, 65536, 65537, 1000003}) {
    const auto values = random_values<T>(size, static_cast<unsigned>(size));
    long double exact = 0;
    long double sizes = 0;
    for (const T value : values) {
      exact += value;
      sizes += std::abs(static_cast<long double>(value));
    }
    const auto bound =
        std::is_integral_v<T> ? 0 : static_cast<long double>(size) * 0x1p-53L * sizes;
    EXPECT_LE(std::abs(static_cast<long double>(cpu::sum<T>(values)) - exact), bound) << size;
    EXPECT_EQ(cpu::minimum<T>(values), *std::ranges::min_element(values)) << size;
    EXPECT_EQ(cpu::maximum<T>(values), *std::ranges::max_element(values)) << size;
  }
}

TEST(Reductions, AgainstLoopInt32) {
  against_loop<std::int32_t>();
}
TEST(Reductions, AgainstLoopFloat) {
  against_loop<float>();
}
TEST(Reductions, AgainstLoopDouble) {
  against_loop<double>();
}

}  // namespace
