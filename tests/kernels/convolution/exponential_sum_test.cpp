#include "kernels/convolution/exponential_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/attenuations.hpp"

namespace bombard {
namespace {

/// The largest relative error of the sum in long double over n = shortest .. longest, where n grows
/// by a factor of 1.01 but at least by one.
long double largest_error(const ExponentialSum& sum, const Attenuation& attenuation,
                          long double shortest, long double longest) {
  constexpr long double least = 1e-290L;  // about where binary64 ends
  long double largest = 0;
  for (long double n = shortest; n <= longest;) {
    long double value = 0;
    for (std::size_t j = 0; j < sum.exponents.size(); ++j) {
      value += static_cast<long double>(sum.weights[j]) *
               std::exp(-static_cast<long double>(sum.exponents[j]) * n);
    }
    const long double exact = attenuated_in_long_double(attenuation, n);
    if (exact < least) break;
    largest = std::max(largest, std::fabs(value / exact - 1));
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
        const long double error = largest_error(sum, square_root_attenuation, shortest, longest);
        EXPECT_LE(error, std::min(wanted, sum.relative_error)) << shortest << " .. " << longest;
        // A rule that is far better than wanted would waste terms.
        if (longest < 100 * shortest) continue;
        EXPECT_GE(error, wanted / 10) << shortest << " .. " << longest;
      }
    }
  }
}

TEST(ExponentialSum, OfEveryLaw) {
  for (const Attenuation& attenuation : sample_attenuations()) {
    for (const double wanted : {1e-8, 6e-13}) {
      const ExponentialSum sum = exponential_sum(attenuation, 66, 1e12, wanted);
      EXPECT_LE(largest_error(sum, attenuation, 66, 1e12L), sum.relative_error)
          << name_of(attenuation);
      EXPECT_LE(sum.relative_error, wanted + 4e-13) << name_of(attenuation);
    }
  }
}

TEST(ExponentialSum, FewTermsAllPositiveAndAscending) {
  const ExponentialSum sum = exponential_sum(square_root_attenuation, 1, 1e6, 1.4e-13);
  EXPECT_LE(sum.exponents.size(), 62U);
  ASSERT_EQ(sum.exponents.size(), sum.weights.size());
  EXPECT_GT(std::ranges::min(sum.weights), 0);
  EXPECT_GE(sum.exponents.front(), 0);
  EXPECT_TRUE(std::ranges::is_sorted(sum.exponents, std::ranges::less_equal()));
}

}  // namespace
}  // namespace bombard
