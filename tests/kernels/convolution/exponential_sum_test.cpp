#include "kernels/convolution/exponential_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace bombard {
namespace {

/// The largest |sum n^power - 1| in long double over n = shortest .. longest, n growing by 1.01 but
/// at least by one.
long double largest_error(const ExponentialSum& sum, long double power, long double shortest,
                          long double longest) {
  long double largest = 0;
  for (long double n = shortest; n <= longest;) {
    long double value = 0;
    for (std::size_t j = 0; j < sum.exponents.size(); ++j) {
      value += static_cast<long double>(sum.weights[j]) *
               std::exp(-static_cast<long double>(sum.exponents[j]) * n);
    }
    largest = std::max(largest, std::fabs(value * std::pow(n, power) - 1));
    if (n == longest) break;
    n = std::min(longest, std::floor(std::max(n + 1, n * 1.01L)));
  }
  return largest;
}

TEST(ExponentialSum, KeepsTheWantedErrorAndNotMuchLess) {
  for (const double wanted : {1e-3, 1e-6, 1e-8, 1e-10, 1e-13}) {
    for (const double shortest : {1.0, 66.0}) {
      for (const double longest : {66.0, 100.0, 1e4, 1e6, 1e9, 1e18}) {
        const ExponentialSum sum =
            exponential_sum(square_root_attenuation, shortest, longest, wanted);
        const long double error = largest_error(sum, 0.5L, shortest, longest);
        EXPECT_LE(error, std::min(wanted, sum.relative_error)) << shortest << " .. " << longest;
        // A rule that is far better than wanted would spend terms for nothing.
        if (longest < 100 * shortest) continue;
        EXPECT_GE(error, wanted / 10) << shortest << " .. " << longest;
      }
    }
  }
}

TEST(ExponentialSum, OtherPowersOfTheDistance) {
  for (const double power : {0.1, 0.25, 1.0, 2.0, 3.5, 8.0}) {
    for (const double wanted : {1e-8, 6e-13}) {
      const ExponentialSum sum =
          exponential_sum({Attenuation::Kind::power, power}, 1, 1e12, wanted);
      EXPECT_LE(largest_error(sum, power, 1, 1e12L), wanted) << power;
    }
  }
}

TEST(ExponentialSum, FewTermsAllPositiveAndAscending) {
  const ExponentialSum sum = exponential_sum(square_root_attenuation, 1, 1e6, 1.4e-13);
  EXPECT_LE(sum.exponents.size(), 62U);
  ASSERT_EQ(sum.exponents.size(), sum.weights.size());
  for (std::size_t j = 0; j < sum.exponents.size(); ++j) {
    EXPECT_GT(sum.weights[j], 0);
    EXPECT_GE(sum.exponents[j], 0);
    if (j > 0) {
      EXPECT_GT(sum.exponents[j], sum.exponents[j - 1]);
    }
  }
}

}  // namespace
}  // namespace bombard
