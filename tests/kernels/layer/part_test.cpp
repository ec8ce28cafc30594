#include "kernels/layer/part.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bombard {
namespace {

TEST(WithMargin, HasACellForEachStormAndOneMore) {
  EXPECT_EQ(cells_behind({40, 60}, 3, 100), (CellRange{36, 64}));
  const Part part = with_margin(part_of_layer({260, 460}, 1000), 3);
  EXPECT_EQ(part.held, (CellRange{256, 464}));
  EXPECT_EQ(part.own_among_held(), (CellRange{4, 204}));
  EXPECT_EQ(with_margin(whole_layer(100), 3).held, (CellRange{0, 100}));
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(with_margin(part_of_layer({98, 100}, 100), most).held, (CellRange{0, 100}));
}

}  // namespace
}  // namespace bombard
