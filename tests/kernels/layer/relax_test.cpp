#include "kernels/layer/relax.hpp"

#include "tests/kernels/base/random_values.hpp"
#include "tests/solvers/backend.hpp"

using namespace bombard;

class Relax : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(On, Relax, testing::ValuesIn(backends()), name_of_backend);

TEST_P(Relax, ByHand) {
  const std::vector<float> copy{3, 6, 12, 0, 9};
  std::vector<float> layer = copy;
  cpu::relax(copy, layer);
  EXPECT_EQ(layer, (std::vector<float>{3, 7, 6, 7, 9}));
}

TEST_P(Relax, AddsFromLeftToRight) {
  // Added from the right, the 3 would be lost next to 1e8, and the result would be 0.
  const std::vector<float> copy{1e8F, -1e8F, 3};
  std::vector<float> layer = copy;
  cpu::relax(copy, layer);
  EXPECT_EQ(layer[1], 1.0F);
}

TEST_P(Relax, TheEndsKeepTheirValues) {
  for (const std::size_t cells : {0, 1, 2}) {
    const std::vector<float> copy(cells, 1.0F);
    std::vector<float> layer(cells, 2.0F);
    cpu::relax(copy, layer);
    EXPECT_EQ(layer, std::vector<float>(cells, 2.0F));
  }
}

TEST_P(Relax, AwkwardSizes) {
  for (const std::int64_t cells : {3, 4, 15, 16, 17, 18, 31, 33, 67, 129, 1023, 1025, 4099}) {
    const auto copy = random_values<float>(cells, static_cast<unsigned>(cells));
    std::vector<float> layer = copy;
    std::vector<float> expected = copy;
    for (std::size_t k = 1; k + 1 < expected.size(); ++k) {
      const float left = copy[k - 1] + copy[k];
      expected[k] = (left + copy[k + 1]) / 3.0F;
    }
    cpu::relax(copy, layer);
    EXPECT_EQ(layer, expected) << cells << " cells";
  }
}
