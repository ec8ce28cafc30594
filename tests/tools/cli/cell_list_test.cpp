#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/text.hpp"
#include "tools/cli/result_arguments.hpp"

namespace bombard::tools {
namespace {

std::string error_of(const std::string& text) {
  return tests::message_of([&] { parse_cell_list(text, 60'000); });
}

TEST(CellList, HasCellsAndRangesWithoutTheirEnds) {
  EXPECT_EQ(parse_cell_list("7", 8), (std::vector<std::int64_t>{7}));
  EXPECT_EQ(parse_cell_list("10,20:23,0:2,1e1", 60),
            (std::vector<std::int64_t>{10, 20, 21, 22, 0, 1, 10}));
  EXPECT_EQ(parse_cell_list("0:60", 60).size(), 60U);
}

TEST(CellList, RefusesWhatIsNoListOfCellsOfTheLayer) {
  const std::string end = "; BEGIN:END is the cells from BEGIN to END - 1";
  const std::string beyond = " is out of range; it is a whole number from ";
  tests::expect_messages(
      {{"1,60000", "--cells-at 60000" + beyond + "0 to 59999"},
       {"10:60001", "--cells-at 60001" + beyond + "1 to 60000"},
       {"-1", "--cells-at -1" + beyond + "0 to 59999"},
       {"3,1:", "--cells-at 1: lacks its END" + end},
       {":7", "--cells-at :7 lacks its BEGIN" + end},
       {"5:5", "--cells-at 5:5 holds no cell" + end},
       {"7:5", "--cells-at 7:5 holds no cell" + end},
       {"0:10000", "no error"},
       {"0:10000,5",
        "--cells-at lists more than 10000 cells; take fewer, or whole layers (--layers)"}},
      error_of);
  for (const std::string text : {"", ",", "1,", ",1", "1;2", "1:2:3", "a:b"}) {
    EXPECT_TRUE(error_of(text).ends_with(" is not a whole number")) << text;
  }
}

}  // namespace
}  // namespace bombard::tools
