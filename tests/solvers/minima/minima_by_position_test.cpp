// Element-wise minima on the processor.

#include "solvers/minima/minima_by_position.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/kernels/base/random_values.hpp"

using namespace bombard;

namespace {

TEST(MinimaKernel, ByHand) {
  // Two matrices, in a batch with room for three: position by position.
  std::vector<std::int32_t> values;
  for (std::int32_t position = 0; position < 9; ++position) {
    values.insert(values.end(), {position, 10 - position, -99});
  }
  std::vector<std::int32_t> minima(9, 4);
  cpu::minima<std::int32_t>(values, 3, 2, minima);
  EXPECT_EQ(minima, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 4, 4, 3, 2}));
}

TEST(MinimaKernel, NoMatricesChangeNothing) {
  std::vector<float> minima(9, 7);
  cpu::minima<float>(std::vector<float>(9), 1, 0, minima);
  EXPECT_EQ(minima, std::vector<float>(9, 7));
}

TEST(MinimaKernel, NaNStaysNaN) {
  std::vector<float> values(18, 1);
  values[4 * 2] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> minima(9, 5);
  cpu::minima<float>(values, 2, 2, minima);
  values[4 * 2] = 0;
  cpu::minima<float>(values, 2, 2, minima);
  for (std::size_t position = 0; position < 9; ++position) {
    EXPECT_EQ(std::isnan(minima[position]), position == 4);
  }
}

TEST(MinimaKernel, AgainstLoop) {
  const std::int64_t stride = 70001;
  const auto values = random_values<double>(9 * stride, 3);
  std::vector<double> minima(9, 2);
  cpu::minima<double>(values, stride, 70000, minima);
  for (std::int64_t position = 0; position < 9; ++position) {
    const auto begin = values.begin() + position * stride;
    EXPECT_EQ(minima[static_cast<std::size_t>(position)], *std::min_element(begin, begin + 70000));
  }
}

}  // namespace
