// Every kernel that sorts against std::sort.

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "solvers/sort/reference.hpp"
#include "solvers/sort/sort_key.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"

using namespace bombard;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// The bits of values: NaN is equal to itself, -0 is not 0.
template <class T>
std::vector<SortKey<T>> bits(const std::vector<T>& values) {
  std::vector<SortKey<T>> all;
  for (const T value : values) all.push_back(std::bit_cast<SortKey<T>>(value));
  return all;
}

class SortKernels : public BackendTest {
 protected:
  template <class T>
  static void against_standard_sort(const std::vector<T>& values) {
    for (const solve::Order order : {solve::Order::ascending, solve::Order::descending}) {
      auto expected = values;
      sort_reference<T>(expected, order);
      for (const std::string kernel : {"bitonic", "radix"}) {
        auto sorted = values;
        EXPECT_EQ(solve::sort<T>(sorted, {order, device(), kernel}), on_gpu());
        ASSERT_EQ(bits(sorted), bits(expected)) << values.size() << " values";
        if (!on_gpu()) break;  // one kernel
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, SortKernels, testing::ValuesIn(backends()), name_of_backend);

TEST_P(SortKernels, SlowEveryLength) {
  for (const std::int64_t size :
       {0,    1,    2,    3,    7,    8,     9,     31,     33,     1023,    1025,    4095,
        4096, 4097, 8191, 8192, 8193, 16385, 40000, 100003, 300007, 1048576, 1048577, 3000017}) {
    if (size > 1'000'000 && !on_gpu()) break;
    const auto seed = static_cast<unsigned>(size);
    against_standard_sort(random_values<std::int32_t>(size, seed));
    against_standard_sort(random_values<float>(size, seed));
    against_standard_sort(random_values<double>(size, seed));
  }
}

TEST_P(SortKernels, ValuesAtTheEndsOfTheirTypes) {
  against_standard_sort<float>({nan, 1, infinity, -nan, 0.0F, -infinity, -0.0F, -2});
  std::vector<float> values = random_values<float>(20000, 5);
  std::vector<double> doubles = random_values<double>(20000, 7);
  std::vector<std::int32_t> integers = random_values<std::int32_t>(20000, 6);
  for (std::size_t i = 0; i < values.size(); i += 7) {
    const float special[] = {nan, -nan, infinity, -infinity, 0.0F, -0.0F, 1e-45F};
    values[i] = special[i / 7 % 7];
    doubles[i] = i % 2 == 0 ? 5e-324 : special[i / 7 % 7];
    integers[i] = i % 2 == 0 ? std::numeric_limits<std::int32_t>::max()
                             : std::numeric_limits<std::int32_t>::min();
  }
  against_standard_sort(values);
  against_standard_sort(doubles);
  against_standard_sort(integers);
}

TEST_P(SortKernels, LeaveTheValuesWhenAnInterruptThrows) {
  if (on_gpu()) return;
  auto values = random_values<std::int32_t>(270'001, 7);  // two pieces
  const auto before = values;
  int calls = 0;
  const auto interrupt = [&] {
    if (++calls == 5) throw calls;
  };
  EXPECT_THROW(solve::sort(std::span(values), {.device = Device::cpu, .interrupt = interrupt}),
               int);
  EXPECT_EQ(values, before);
  against_standard_sort(values);
}

}  // namespace
