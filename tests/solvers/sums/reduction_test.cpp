// Sum and maximum against Eigen in long double.

#include <cmath>
#include <string>
#include <vector>

#include "bombard/solve.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"
#include "tests/solvers/wide.hpp"

using namespace bombard;

namespace {

class Reductions : public BackendTest {
 protected:
  template <class T>
  static solve::Sum<T> sum(const std::vector<T>& values) {
    return solve::sum<T>(values, device());
  }
  template <class T>
  static T maximum(const std::vector<T>& values) {
    return solve::maximum<T>(values, device());
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, Reductions, testing::ValuesIn(backends()), name_of_backend);

TEST_P(Reductions, ByHand) {
  EXPECT_EQ(sum<double>({0.5, 1, 2, -0.25}), 3.25);
  EXPECT_EQ(sum<std::int32_t>({2147483647, 2147483647, 1}), 4294967295);
  EXPECT_EQ(maximum<std::int32_t>({3, -7, 11, -7}), 11);
  EXPECT_EQ(maximum<double>({0.5, -0.25, 0.125}), 0.5);
  EXPECT_EQ(sum<float>({}), 0);
  EXPECT_EQ(sum<std::int32_t>({}), 0);
  EXPECT_THROW(maximum<double>({}), InputError);
}

TEST_P(Reductions, SumsKeepWhatLargerOnesHide) {
  for (const std::int64_t size : {3, 17, 33, 1000, 200'000, 2'000'000}) {
    std::vector<double> values(static_cast<std::size_t>(size), 1);
    values[1] = 1e16;
    values[values.size() - 1] = -1e16;
    EXPECT_EQ(sum(values), static_cast<double>(size - 2)) << size;
    const std::vector<float> in_single{values.begin(), values.end()};
    EXPECT_EQ(sum(in_single), static_cast<double>(size - 2)) << size;
  }
}

TEST_P(Reductions, SumsOfInfinities) {
  for (const std::size_t size : {2U, 40U, 200'000U, 2'000'000U}) {
    std::vector<double> values(size, 1);
    values[0] = INFINITY;
    EXPECT_EQ(sum(values), INFINITY);
    values[size - 1] = -INFINITY;
    const double no_number = sum(values);
    EXPECT_TRUE(std::isnan(no_number));
    EXPECT_FALSE(std::signbit(no_number));
  }
}

// Wherever they are.
TEST_P(Reductions, NaNIsTheLargestAndMinusZeroBelowZero) {
  const auto expect_largest = []<class T>(T nan) {
    for (const std::size_t size : {1U, 2U, 33U, 20000U, 65537U, 200000U}) {
      for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
        SCOPED_TRACE(std::to_string(place) + " of " + std::to_string(size));
        for (const T others : {T{0}, -T{0}}) {
          std::vector<T> values(size, others);
          EXPECT_EQ(std::signbit(maximum(values)), std::signbit(others));
          values[place] = -others;
          EXPECT_EQ(std::signbit(maximum(values)), size == 1 && !std::signbit(others));
          values[place] = std::copysign(nan, others);
          EXPECT_TRUE(std::isnan(maximum(values)) && !std::signbit(maximum(values)));
        }
      }
    }
  };
  expect_largest(std::nanf(""));
  expect_largest(std::nan(""));
}

TEST_P(Reductions, AgainstEigen) {
  const auto against_eigen = []<class T>(std::int64_t size, T) {
    const auto values = random_values<T>(size, static_cast<unsigned>(size));
    const Wide all = wide(size, 1, values);
    const auto found = sum(values);
    const long double units = std::is_integral_v<T> ? 0 : size * unit_roundoff<double>;
    EXPECT_LE(std::abs(found - all.sum()), units * all.cwiseAbs().sum()) << size;
    EXPECT_EQ(sum(values), found) << "not the same twice";
    EXPECT_EQ(maximum(values), all.maxCoeff()) << size;
  };
  for (const std::int64_t size :
       {1, 2, 3, 5, 31, 32, 33, 1023, 4096, 4099, 65535, 65536, 65537, 100003, 1000003, 20000003}) {
    if (size > 2000000 && !on_gpu()) break;
    against_eigen(size, std::int32_t{});
    against_eigen(size, float{});
    against_eigen(size, double{});
  }
}

}  // namespace
