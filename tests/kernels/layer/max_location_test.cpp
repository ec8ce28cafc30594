#include "kernels/layer/max_location.hpp"

#include <cmath>

#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"

using namespace bombard;

namespace {

IndexedValue by_a_plain_loop(const std::vector<float>& layer) {
  IndexedValue largest{0.0F, 0};
  for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
    if (layer[k] > layer[k - 1] && layer[k] > layer[k + 1] && layer[k] > largest.value) {
      largest = {layer[k], static_cast<std::int64_t>(k)};
    }
  }
  return largest;
}

void expect_peak(const std::vector<float>& layer, std::int64_t index, float value) {
  const IndexedValue found = cpu::max_location(layer);
  EXPECT_EQ(found.index, index);
  EXPECT_EQ(found.value, value);
}

}  // namespace

class MaxLocation : public BackendTest {};
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

TEST_P(MaxLocation, AwkwardSizes) {
  for (std::int64_t cells = 3; cells < 200'000; cells += cells < 300 ? 1 : cells) {
    auto layer = random_values<float>(cells, static_cast<unsigned>(cells));
    for (float& value : layer) value = std::round(value * 8);  // many equals and plateaus
    const IndexedValue expected = by_a_plain_loop(layer);
    expect_peak(layer, expected.index, expected.value);
  }
}
