// Sum, minimum and maximum on the device against plain loops.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/device/device_memory.hpp"
#include "solvers/sums/reduction.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/base/random_values.hpp"

using namespace bombard;

namespace {

class SmallReductionsOnGpu : public GpuTest {};

template <class T>
cuda::DeviceArray<T> sent(const std::vector<T>& values) {
  return cuda::DeviceArray<T>{std::span<const T>(values)};
}

TEST_F(SmallReductionsOnGpu, ByHand) {
  EXPECT_EQ(cuda::sum<double>(sent<double>({0.5, 1, 2, -0.25}).span()), 3.25);
  EXPECT_EQ(cuda::sum<float>(sent<float>({1e8F, 1, -1e8F}).span()), 1.0);
  EXPECT_EQ(cuda::sum<std::int32_t>(sent<std::int32_t>({2147483647, 2147483647, 1}).span()),
            4294967295);
  EXPECT_EQ(cuda::minimum<std::int32_t>(sent<std::int32_t>({3, -7, 11, -7}).span()), -7);
  EXPECT_EQ(cuda::maximum<std::int32_t>(sent<std::int32_t>({3, -7, 11, -7}).span()), 11);
  EXPECT_EQ(cuda::minimum<double>(sent<double>({0.5, -0.25, 0.125}).span()), -0.25);
}

TEST_F(SmallReductionsOnGpu, SumsKeepWhatLargerOnesHide) {
  EXPECT_EQ(cuda::sum<double>(sent<double>({1e16, 1, -1e16}).span()), 1);
  for (const std::int64_t size : {5, 33, 1000, 2'000'000}) {
    std::vector<double> values(static_cast<std::size_t>(size), 1);
    values[1] = 1e16;
    values[values.size() - 1] = -1e16;
    EXPECT_EQ(cuda::sum<double>(sent(values).span()), static_cast<double>(size - 2)) << size;
    const std::vector<float> in_single{values.begin(), values.end()};
    EXPECT_EQ(cuda::sum<float>(sent(in_single).span()), static_cast<double>(size - 2)) << size;
  }
}

TEST_F(SmallReductionsOnGpu, SumOfInfinities) {
  for (const std::size_t size : {2U, 40U, 2'000'000U}) {
    std::vector<double> values(size, 1);
    values[0] = INFINITY;
    EXPECT_EQ(cuda::sum<double>(sent(values).span()), INFINITY);
    values[size - 1] = -INFINITY;
    const auto sum = cuda::sum<double>(sent(values).span());
    EXPECT_TRUE(std::isnan(sum));
    EXPECT_FALSE(std::signbit(sum));
  }
}

TEST_F(SmallReductionsOnGpu, EmptyGivesTheIdentity) {
  EXPECT_EQ(cuda::sum<float>({}), 0);
  EXPECT_EQ(cuda::minimum<float>({}), INFINITY);
  EXPECT_EQ(cuda::maximum<std::int32_t>({}), -2147483647 - 1);
}

TEST_F(SmallReductionsOnGpu, NaNWhereverItStands) {
  for (const std::size_t size : {1U, 2U, 33U, 20000U}) {
    for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<float> values(size, 1.0F);
      values[place] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_TRUE(std::isnan(cuda::minimum<float>(sent(values).span()))) << size << " " << place;
      EXPECT_TRUE(std::isnan(cuda::maximum<float>(sent(values).span()))) << size << " " << place;
      values[place] = -values[place];
      EXPECT_FALSE(std::signbit(cuda::minimum<float>(sent(values).span()))) << size << " " << place;
      EXPECT_FALSE(std::signbit(cuda::maximum<float>(sent(values).span()))) << size << " " << place;
    }
  }
}

template <class T>
void zeros_of_both_signs() {
  for (const std::size_t size : {2U, 33U, 20000U}) {
    for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<T> values(size, T{0});
      values[place] = -T{0};
      EXPECT_TRUE(std::signbit(cuda::minimum<T>(sent(values).span()))) << size << " " << place;
      EXPECT_FALSE(std::signbit(cuda::maximum<T>(sent(values).span()))) << size << " " << place;
      std::ranges::fill(values, -T{0});
      EXPECT_TRUE(std::signbit(cuda::maximum<T>(sent(values).span()))) << size;
      values[place] = T{0};
      EXPECT_TRUE(std::signbit(cuda::minimum<T>(sent(values).span()))) << size << " " << place;
      EXPECT_FALSE(std::signbit(cuda::maximum<T>(sent(values).span()))) << size << " " << place;
      std::ranges::fill(values, T{0});
      EXPECT_FALSE(std::signbit(cuda::minimum<T>(sent(values).span()))) << size;
    }
  }
}

TEST_F(SmallReductionsOnGpu, MinusZeroIsBelowZero) {
  zeros_of_both_signs<float>();
  zeros_of_both_signs<double>();
}

template <class T>
void against_loop(std::int64_t size, std::size_t skip) {
  const auto values = random_values<T>(size, static_cast<unsigned>(size));
  long double exact = 0;
  long double sizes = 0;
  for (std::size_t i = skip; i < values.size(); ++i) {
    exact += values[i];
    sizes += std::abs(static_cast<long double>(values[i]));
  }
  const auto there = sent(values);
  const auto span = there.span().subspan(skip);
  const auto sum = cuda::sum<T>(span);
  const auto bound = std::is_integral_v<T> ? 0 : static_cast<long double>(size) * 0x1p-53L * sizes;
  EXPECT_LE(std::abs(static_cast<long double>(sum) - exact), bound) << size << " " << skip;
  EXPECT_EQ(cuda::sum<T>(span), sum) << "not the same twice";
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(skip);
  EXPECT_EQ(cuda::minimum<T>(span), *std::min_element(begin, values.end())) << size << " " << skip;
  EXPECT_EQ(cuda::maximum<T>(span), *std::max_element(begin, values.end())) << size << " " << skip;
}

TEST_F(SmallReductionsOnGpu, AgainstLoop) {
  for (const std::int64_t size : {5, 31, 32, 33, 1023, 4096, 4099, 100003}) {
    for (const std::size_t skip : {0U, 1U, 2U, 3U}) {
      against_loop<std::int32_t>(size, skip);
      against_loop<float>(size, skip);
      against_loop<double>(size, skip);
    }
  }
}

TEST_F(GpuTest, ReductionsOfManyElements) {
  for (const std::int64_t size : {3000017, 20000003}) {
    against_loop<std::int32_t>(size, 0);
    against_loop<float>(size, 1);
    against_loop<double>(size, 1);
  }
}

}  // namespace
