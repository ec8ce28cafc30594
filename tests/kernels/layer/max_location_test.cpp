#include "kernels/layer/max_location.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/layer/peaks_by_hand.hpp"

using namespace bombard;

static void expect_peak(const std::vector<float>& layer, std::int64_t index, float value) {
  const IndexedValue found = cpu::max_location(layer);
  EXPECT_EQ(found.index, index);
  EXPECT_EQ(found.value, value);
}

TEST(MaxLocation, ByHand) {
  for (const auto& [layer, index, value] : bombard::tests::peaks_by_hand) {
    expect_peak(layer, index, value);
  }
}

TEST(MaxLocation, OfEqualPeaksTheFirstWhereverTheyAre) {
  for (std::size_t first = 1; first < 140; first += 3) {
    for (std::size_t second = first + 2; second < 269; ++second) {
      std::vector<float> layer(270, 0.0F);
      layer[first] = layer[second] = 2.0F;
      expect_peak(layer, static_cast<std::int64_t>(first), 2.0F);
    }
  }
}
