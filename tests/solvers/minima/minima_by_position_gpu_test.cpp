// Element-wise minima on the device.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/device/device_memory.hpp"
#include "solvers/minima/minima_by_position.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/base/random_values.hpp"

using namespace bombard;

namespace {

class SmallMinimaOnGpu : public GpuTest {};

template <class T>
std::vector<T> minima_of(const std::vector<T>& values, std::int64_t stride, std::int64_t matrices,
                         std::vector<T> minima) {
  const cuda::DeviceArray<T> there{std::span<const T>(values)};
  cuda::DeviceArray<T> minima_there{std::span<const T>(minima)};
  cuda::minima<T>(there.span(), stride, matrices, minima_there.span());
  minima_there.copy_to(minima);
  return minima;
}

TEST_F(SmallMinimaOnGpu, ByHand) {
  std::vector<std::int32_t> values;
  for (std::int32_t position = 0; position < 9; ++position) {
    values.insert(values.end(), {position, 10 - position, -99});
  }
  EXPECT_EQ(minima_of(values, 3, 2, std::vector<std::int32_t>(9, 4)),
            (std::vector<std::int32_t>{0, 1, 2, 3, 4, 4, 4, 3, 2}));
  EXPECT_EQ(minima_of(values, 3, 0, std::vector<std::int32_t>(9, 4)),
            std::vector<std::int32_t>(9, 4));
}

TEST_F(SmallMinimaOnGpu, NaNStaysNaN) {
  std::vector<float> values(18, 1);
  std::vector<float> minima(9, 5);
  minima[2] = std::numeric_limits<float>::quiet_NaN();
  values[4 * 2] = std::numeric_limits<float>::quiet_NaN();
  minima = minima_of(values, 2, 2, minima);
  for (std::size_t position = 0; position < 9; ++position) {
    EXPECT_EQ(std::isnan(minima[position]), position == 2 || position == 4);
  }
}

template <class T>
void against_loop(std::int64_t stride, std::int64_t matrices) {
  const auto values = random_values<T>(9 * stride, static_cast<unsigned>(matrices));
  const auto minima = minima_of(values, stride, matrices, std::vector<T>(9, T{1000}));
  for (std::int64_t position = 0; position < 9; ++position) {
    const auto begin = values.begin() + position * stride;
    EXPECT_EQ(minima[static_cast<std::size_t>(position)],
              *std::min_element(begin, begin + matrices))
        << matrices << " at " << position;
  }
}

TEST_F(SmallMinimaOnGpu, AgainstLoop) {
  for (const std::int64_t matrices : {1, 2, 3, 31, 33, 1023, 4097, 30011}) {
    against_loop<std::int32_t>(matrices + 2, matrices);
    against_loop<float>(matrices + 1, matrices);
    against_loop<double>(matrices, matrices);
  }
}

TEST_F(GpuTest, MinimaOfManyMatrices) {
  against_loop<std::int32_t>(3000017, 3000011);
}

}  // namespace
