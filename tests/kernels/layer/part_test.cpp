#include "kernels/layer/part.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bombard {
namespace {

TEST(CellRange, WidenedAndWhatItContains) {
  EXPECT_EQ((CellRange{5, 7}.widened(2, 10)), (CellRange{3, 9}));
  EXPECT_EQ((CellRange{5, 7}.widened(3, 10)), (CellRange{2, 10}));
  EXPECT_EQ((CellRange{5, 7}.widened(6, 10)), (CellRange{0, 10}));
  EXPECT_EQ((CellRange{5, 5}.widened(1, 10)), (CellRange{4, 6}));
  const CellRange cells{5, 9};
  EXPECT_TRUE(cells.contains(5) && cells.contains({5, 9}));
  EXPECT_FALSE(cells.contains(9) || cells.contains({4, 9}) || cells.contains({5, 10}));
}

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
