// Both sorts on the device against the processor's.

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "solvers/sort/sort_key.hpp"
#include "solvers/sort/sort_keys.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/base/random_values.hpp"

using namespace bombard;

namespace {

class SmallSortsOnGpu : public GpuTest {};

/// The bits of values: NaN is equal to itself, -0 is not 0.
template <class T>
std::vector<SortKey<T>> bits(const std::vector<T>& values) {
  std::vector<SortKey<T>> all;
  for (const T value : values) all.push_back(std::bit_cast<SortKey<T>>(value));
  return all;
}

template <class T>
void against_cpu(const std::vector<T>& values) {
  for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
    auto expected = values;
    cpu::sort<T>(expected, order);
    for (const auto sort : {cuda::bitonic_sort<T>, cuda::radix_sort<T>}) {
      cuda::DeviceArray<T> there{std::span<const T>(values)};
      sort(there.span(), order);
      auto sorted = values;
      there.copy_to(sorted);
      ASSERT_EQ(bits(sorted), bits(expected)) << values.size() << " values";
    }
  }
}

TEST_F(SmallSortsOnGpu, EveryLength) {
  for (const std::int64_t size : {1, 2, 3, 7, 8, 9, 31, 33, 1023, 1025, 4095, 4096, 4097, 8191,
                                  8192, 8193, 16385, 40000, 100003}) {
    against_cpu(random_values<std::int32_t>(size, static_cast<unsigned>(size)));
    against_cpu(random_values<float>(size, static_cast<unsigned>(size)));
    against_cpu(random_values<double>(size, static_cast<unsigned>(size)));
  }
}

TEST_F(SmallSortsOnGpu, Empty) {
  cuda::bitonic_sort<float>({}, SortOrder::ascending);
  cuda::bitonic_sort<double>({}, SortOrder::ascending);
}

TEST_F(SmallSortsOnGpu, ValuesAtTheEndsOfTheirTypes) {
  std::vector<float> values = random_values<float>(20000, 5);
  std::vector<double> doubles = random_values<double>(20000, 7);
  std::vector<std::int32_t> integers = random_values<std::int32_t>(20000, 6);
  for (std::size_t i = 0; i < values.size(); i += 7) {
    const float special[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0F, -0.0F, 1e-45F};
    values[i] = special[i / 7 % 7];
    doubles[i] = i % 2 == 0 ? 5e-324 : special[i / 7 % 7];
    integers[i] = i % 2 == 0 ? std::numeric_limits<std::int32_t>::max()
                             : std::numeric_limits<std::int32_t>::min();
  }
  against_cpu(values);
  against_cpu(doubles);
  against_cpu(integers);
}

TEST_F(GpuTest, SortsOfManyValues) {
  for (const std::int64_t size : {1048576, 1048577, 3000017}) {
    against_cpu(random_values<float>(size, static_cast<unsigned>(size)));
    against_cpu(random_values<double>(size, static_cast<unsigned>(size)));
  }
}

}  // namespace
