#include "kernels/layer/max_location.hpp"

#include "tests/solvers/backend.hpp"

using namespace bombard;

class MaxLocation : public BackendTest {
 protected:
  static void expect_peak(const std::vector<float>& layer, std::int64_t index, float value) {
    const IndexedValue found = cpu::max_location(layer);
    EXPECT_EQ(found.index, index);
    EXPECT_EQ(found.value, value);
  }
};
INSTANTIATE_TEST_SUITE_P(On, MaxLocation, testing::ValuesIn(backends()), name_of_backend);

TEST_P(MaxLocation, ByHand) {
  expect_peak({9, 1, 2, 1, 4, 1, 9}, 4, 4);  // the ends are higher, but no peaks
  expect_peak({0, 3, 0, 3, 0}, 1, 3);        // the first of equals
  expect_peak({0, 3, 3, 0, 2, 0}, 4, 2);     // a plateau is not a peak
  expect_peak({-5, -1, -5}, 0, 0);           // nor is anything below zero
  expect_peak({-5, 0, -5}, 0, 0);            // or zero itself
  expect_peak({}, 0, 0);                     // fewer than three cells have none
  expect_peak({1}, 0, 0);
  expect_peak({1, 2}, 0, 0);
}

TEST_P(MaxLocation, OfEqualPeaksTheFirstWhereverTheyAre) {
  for (std::size_t first = 1; first < 140; first += 3) {
    for (std::size_t second = first + 2; second < 269; ++second) {
      std::vector<float> layer(270, 0.0F);
      layer[first] = layer[second] = 2.0F;
      expect_peak(layer, static_cast<std::int64_t>(first), 2.0F);
    }
  }
}
