#include "kernels/layer/max_location.hpp"

#include "tests/kernels/layer/peaks_by_hand.hpp"
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
  for (const auto& [layer, index, value] : bombard::tests::peaks_by_hand) {
    expect_peak(layer, index, value);
  }
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
