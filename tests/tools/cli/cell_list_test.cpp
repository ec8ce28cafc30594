#include "tools/cli/cell_list.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bombard/errors.hpp"

namespace bombard::tools {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_cell_list(text, 60'000);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CellList, HasCellsAndRangesWithoutTheirEnds) {
  EXPECT_EQ(parse_cell_list("7", 8), (std::vector<std::int64_t>{7}));
  EXPECT_EQ(parse_cell_list("10,20:23,0:2,1e1", 60),
            (std::vector<std::int64_t>{10, 20, 21, 22, 0, 1, 10}));
  EXPECT_EQ(parse_cell_list("0:60", 60).size(), 60U);
}

TEST(CellList, RefusesWhatIsNotInTheLayer) {
  EXPECT_EQ(error_of("1,60000"),
            "--cells-at 60000 is out of range; it is a whole number from 0 to 59999");
  EXPECT_EQ(error_of("10:60001"),
            "--cells-at 60001 is out of range; it is a whole number from 1 to 60000");
  EXPECT_EQ(error_of("3,1:"),
            "--cells-at 1: lacks its END; BEGIN:END is the cells from BEGIN to END - 1");
  EXPECT_EQ(error_of(":7"),
            "--cells-at :7 lacks its BEGIN; BEGIN:END is the cells from BEGIN to END - 1");
  EXPECT_EQ(error_of("-1"), "--cells-at -1 is out of range; it is a whole number from 0 to 59999");
}

TEST(CellList, RefusesWhatIsNoList) {
  for (const std::string text : {"", ",", "1,", ",1", "1;2"}) {
    EXPECT_TRUE(error_of(text).ends_with(" is not a whole number")) << text;
  }
  for (const std::string text : {"1:2:3", "a:b"}) {
    EXPECT_TRUE(error_of(text).ends_with(" is not a whole number")) << text;
  }
  EXPECT_EQ(error_of("5:5"),
            "--cells-at 5:5 holds no cell; BEGIN:END is the cells from BEGIN to END - 1");
  EXPECT_EQ(error_of("7:5"),
            "--cells-at 7:5 holds no cell; BEGIN:END is the cells from BEGIN to END - 1");
}

TEST(CellList, RefusesMoreThanATableCanHold) {
  EXPECT_EQ(error_of("0:10000"), "no error");
  EXPECT_EQ(error_of("0:10000,5"),
            "--cells-at lists more than 10000 cells; take fewer, or whole layers (--layers)");
}

}  // namespace
}  // namespace bombard::tools
