// Every kernel that sorts against std::sort.

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "bombard/solve.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"

using namespace bombard;

namespace {

class SortKernels : public BackendTest {
 protected:
  /// Calls check(sorted, descending) for each kernel here and each order.
  template <class T, class Check>
  static void each_way(const std::vector<T>& values, const Check& check) {
    for (const bool descending : {false, true}) {
      for (const std::string kernel : {"bitonic", "radix"}) {
        auto sorted = values;
        EXPECT_EQ(solve::sort<T>(sorted, descending, device(), kernel), on_gpu());
        check(sorted, descending);
        if (!on_gpu()) break;  // one kernel
      }
    }
  }

  template <class T>
  static void against_standard_sort(const std::vector<T>& values) {
    auto expected = values;
    std::ranges::sort(expected);
    each_way(values, [&](auto sorted, bool descending) {
      if (descending) std::ranges::reverse(sorted);
      ASSERT_TRUE(sorted == expected) << values.size() << " values";
    });
  }
};

TEST_F(SortKernels, EveryLength) {
  for (const std::int64_t size :
       {0,    1,    2,    3,    7,    8,     9,     31,     33,     1023,    1025,   4095,
        4096, 4097, 8191, 8192, 8193, 16385, 40000, 100003, 300007, 1048577, 3000017}) {
    if (size > 100'003 && !on_gpu()) break;
    const auto seed = static_cast<unsigned>(size);
    against_standard_sort(random_values<std::int32_t>(size, seed));
    against_standard_sort(random_values<float>(size, seed));
    against_standard_sort(random_values<double>(size, seed));
  }
}

TEST_F(SortKernels, ValuesAtTheEndsOfTheirTypes) {
  using Integers = std::numeric_limits<std::int32_t>;
  against_standard_sort<std::int32_t>({Integers::max(), 0, Integers::min(), -1, Integers::min()});
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values = random_values<float>(20000, 5);
  for (std::size_t i = 0; i < values.size(); i += 7) {
    const float special[] = {infinity, -infinity, 0.0F, -0.0F, 1e-45F, -1e-45F};
    values[i] = special[i / 7 % 6];
  }
  against_standard_sort(values);
  against_standard_sort<double>({values.begin(), values.end()});
}

TEST_F(SortKernels, AreNamed) {
  EXPECT_THROW(solve::sort<float>({}, false, device(), "none"), InputError);
}

TEST_F(SortKernels, NaNStandsLastInEitherOrder) {
  std::vector<float> values = random_values<float>(10'000, 5);
  for (std::size_t i = 0; i < values.size(); i += 10) {
    values[i] = std::numeric_limits<float>::quiet_NaN() * (i % 20 == 0 ? 1.0F : -1.0F);
  }
  each_way(values, [](const std::vector<float>& sorted, bool descending) {
    const auto numbers = sorted.begin() + 9000;
    EXPECT_TRUE(std::all_of(numbers, sorted.end(), [](float value) { return value != value; }));
    EXPECT_TRUE(descending ? std::is_sorted(sorted.begin(), numbers, std::greater<>())
                           : std::is_sorted(sorted.begin(), numbers));
  });
}

}  // namespace
