#include "kernels/layer/relax.hpp"

#include "tests/solvers/backend.hpp"

using namespace bombard;

class Relax : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(On, Relax, testing::ValuesIn(backends()), name_of_backend);

// The tests over all engines have the other sizes.
TEST_P(Relax, ByHand) {
  const std::vector<float> copy{3, 6, 12, 0, 9};
  std::vector<float> layer = copy;
  cpu::relax(copy, layer);
  EXPECT_EQ(layer, (std::vector<float>{3, 7, 6, 7, 9}));
}

TEST_P(Relax, TheEndsKeepTheirValues) {
  for (const std::size_t cells : {0, 1, 2}) {
    std::vector<float> layer(cells, 2.0F);
    cpu::relax(std::vector<float>(cells, 1.0F), layer);
    EXPECT_EQ(layer, std::vector<float>(cells, 2.0F));
  }
}
