// Both arg-max reductions on the device against a plain loop.

#include <cmath>
#include <random>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/reduction/arg_max.hpp"
#include "tests/gpu.hpp"

using namespace bombard;

namespace {

class SmallArgMax : public GpuTest, public testing::WithParamInterface<Reduction> {
 protected:
  void expect(std::size_t index, const std::vector<float>& values, std::size_t skip = 0) const {
    const cuda::DeviceArray<float> sent{std::span<const float>(values)};
    const IndexedValue found = cuda::arg_max(sent.span().subspan(skip), GetParam());
    ASSERT_EQ(found.index, static_cast<std::int64_t>(index)) << values.size() << " values";
    ASSERT_EQ(found.value, values[skip + index]);
  }
};

INSTANTIATE_TEST_SUITE_P(Device, SmallArgMax, testing::Values(Reduction::cub, Reduction::inhouse),
                         [](const auto& info) {
                           return info.param == Reduction::cub ? "cub" : "inhouse";
                         });

TEST_P(SmallArgMax, ByHand) {
  expect(0, {5});
  expect(1, {-3, -1, -2});
  expect(2, {1, 2, 7, 7, 7, 0});
  expect(0, std::vector<float>(10000, 0.0F));
}

TEST_P(SmallArgMax, EmptyGivesTheIdentity) {
  const IndexedValue found = cuda::arg_max({}, GetParam());
  EXPECT_EQ(found.index, -1);
  EXPECT_EQ(found.value, -INFINITY);
}

TEST_P(SmallArgMax, FirstOfEqualsWhereverTheyStand) {
  for (const std::size_t size : {31U, 32U, 33U, 1023U, 4095U, 4096U, 4097U, 100003U, 3000017U}) {
    std::mt19937 bits(static_cast<unsigned>(size));
    std::vector<float> values(size);
    for (float& value : values) value = static_cast<float>(bits() % 1000);
    for (int trial = 0; trial < 6; ++trial) {
      const float top = 1000.0F + static_cast<float>(trial);
      std::size_t first = bits() % size;
      values[first] = top;
      for (int i = 0; i < 3; ++i) {
        const std::size_t other = bits() % size;
        values[other] = top;
        first = std::min(first, other);
      }
      expect(first, values);
    }
    values.front() = values.back() = 5000;
    expect(0, values);
    values.front() = 0;
    expect(size - 1, values);
  }
}

TEST_P(SmallArgMax, SpansThatBeginBetweenSixteenByteBoundaries) {
  for (const std::size_t skip : {1U, 2U, 3U, 5U}) {
    std::vector<float> values(20011, -1.0F);
    values[0] = 9;  // before the span
    values[skip] = 3;
    values[20010] = 3;
    expect(0, values, skip);
    values[skip] = 0;
    expect(20010 - skip, values, skip);
  }
}

}  // namespace
