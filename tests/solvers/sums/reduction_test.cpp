// Sum and maximum against Eigen in long double.

#include <cmath>
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

TEST_F(Reductions, ByHand) {
  EXPECT_EQ(sum<double>({0.5, 1, 2, -0.25}), 3.25);
  EXPECT_EQ(sum<std::int32_t>({2147483647, 2147483647, 1}), 4294967295);
  EXPECT_EQ(maximum<std::int32_t>({3, -7, 11, -7}), 11);
  EXPECT_EQ(maximum<double>({0.5, -0.25, 0.125}), 0.5);
  EXPECT_EQ(sum<float>({}), 0);
  EXPECT_EQ(sum<std::int32_t>({}), 0);
  EXPECT_THROW(maximum<double>({}), InputError);
}

TEST_F(Reductions, NaNIsTheLargestWhereverItIs) {
  const auto expect_largest = []<class T>(T nan) {
    for (const std::size_t size : {1U, 2U, 33U, 65537U, 600000U}) {
      for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
        std::vector<T> values(size, INFINITY);
        values[place] = nan;
        EXPECT_TRUE(std::isnan(maximum(values))) << place << " of " << size;
        EXPECT_TRUE(std::isnan(sum(values)));
      }
    }
  };
  expect_largest(std::nanf(""));
  expect_largest(std::nan(""));
}

TEST_F(Reductions, AgainstEigen) {
  const auto against_eigen = [&]<class T>(std::int64_t size, T) {
    const auto values = random_values<T>(size, static_cast<unsigned>(size));
    const Wide all = wide(size, 1, values);
    const auto found = sum(values);
    const long double units = std::is_integral_v<T> ? 0 : size * unit_roundoff<double>;
    EXPECT_LE(std::abs(found - all.sum()), units * all.cwiseAbs().sum()) << size;
    if (!on_gpu()) {
      EXPECT_EQ(expect_the_same_on_any_threads([&] { return sum(values); }), found);
    }
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
