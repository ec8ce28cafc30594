#include "kernels/layer/relax.hpp"

#include <gtest/gtest.h>

#include <vector>

using namespace bombard;

// The tests over all engines have the other sizes.
TEST(Relax, ByHand) {
  const std::vector<float> copy{3, 6, 12, 0, 9};
  std::vector<float> layer = copy;
  cpu::relax(copy, layer);
  EXPECT_EQ(layer, (std::vector<float>{3, 7, 6, 7, 9}));
}

TEST(Relax, TheEndsKeepTheirValues) {
  for (const std::size_t cells : {0, 1, 2}) {
    std::vector<float> layer(cells, 2.0F);
    cpu::relax(std::vector<float>(cells, 1.0F), layer);
    EXPECT_EQ(layer, std::vector<float>(cells, 2.0F));
  }
}
