// Element-wise minima of matrices that are stored position by position.

#include "solvers/minima/minima_by_position.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/device/device.hpp"
#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"

using namespace bombard;

namespace {

class MinimaByPosition : public BackendTest {
 protected:
  template <class T>
  static std::vector<T> minima(const std::vector<T>& values, std::int64_t stride,
                               std::int64_t matrices, std::vector<T> minima,
                               MinimaKernel kernel = MinimaKernel::inhouse) {
    if (on_gpu()) {
      on_device<DeviceMinimaByPosition<T>>().minima(values, stride, matrices, minima, kernel,
                                                    nullptr);
    } else {
      cpu::minima<T>(values, stride, matrices, minima);
    }
    return minima;
  }
  template <class T>
  static void against_loop(std::int64_t stride, std::int64_t matrices) {
    const auto values = random_values<T>(9 * stride, static_cast<unsigned>(matrices));
    const auto found = minima(values, stride, matrices, std::vector<T>(9, T{1000}));
    for (std::int64_t position = 0; position < 9; ++position) {
      const auto begin = values.begin() + position * stride;
      EXPECT_EQ(found[static_cast<std::size_t>(position)],
                *std::min_element(begin, begin + matrices))
          << matrices << " at " << position;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, MinimaByPosition, testing::ValuesIn(backends()),
                         name_of_backend);

TEST_P(MinimaByPosition, ByHand) {
  // Two matrices, in a batch with room for three.
  std::vector<std::int32_t> values;
  for (std::int32_t position = 0; position < 9; ++position) {
    values.insert(values.end(), {position, 10 - position, -99});
  }
  const std::vector<std::int32_t> fours(9, 4);
  EXPECT_EQ(minima(values, 3, 2, fours), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 4, 4, 3, 2}));
  EXPECT_EQ(minima(values, 3, 0, fours), fours);
}

TEST_P(MinimaByPosition, NaNStaysNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values(18, 1);
  std::vector<float> found(9, 5);
  found[2] = nan;
  values[4 * 2] = nan;
  values[5 * 2] = -nan;
  found = minima(values, 2, 2, found);
  values[4 * 2] = 0;
  values[5 * 2] = 0;
  found = minima(values, 2, 2, found);
  for (std::size_t position = 0; position < 9; ++position) {
    const bool expected = position == 2 || position == 4 || position == 5;
    EXPECT_EQ(std::isnan(found[position]), expected) << position;
    EXPECT_FALSE(std::signbit(found[position])) << position;
  }
}

TEST_P(MinimaByPosition, MinusZeroIsBelowZeroWhereverItStands) {
  for (const std::size_t matrices : {2U, 33U, 20000U}) {
    for (const std::size_t place : {std::size_t{0}, matrices / 2, matrices - 1}) {
      std::vector<double> values(9 * matrices, 0);
      values[3 * matrices + place] = -0.0;
      const auto found = minima(values, static_cast<std::int64_t>(matrices),
                                static_cast<std::int64_t>(matrices), std::vector<double>(9, 1));
      for (std::size_t position = 0; position < 9; ++position) {
        EXPECT_EQ(std::signbit(found[position]), position == 3) << matrices << " " << place;
      }
    }
  }
}

// Strides that bring the positions between 16-byte boundaries.
TEST_P(MinimaByPosition, AgainstLoop) {
  for (const std::int64_t matrices : {1, 2, 3, 31, 33, 1023, 4097, 30011, 70000}) {
    against_loop<std::int32_t>(matrices + 2, matrices);
    against_loop<float>(matrices + 1, matrices);
    against_loop<double>(matrices, matrices);
  }
  if (on_gpu()) against_loop<std::int32_t>(3000017, 3000011);
}

TEST_P(MinimaByPosition, CubFindsTheSame) {
  if (!on_gpu()) return;
  const auto values = random_values<std::int32_t>(9 * 5000, 3);
  const std::vector<std::int32_t> none(9, std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(minima(values, 5000, 5000, none, MinimaKernel::cub), minima(values, 5000, 5000, none));
}

}  // namespace
