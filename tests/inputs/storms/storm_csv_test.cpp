#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inputs/storms/storm_file.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

using Impacts = std::vector<Impact>;

class StormCsv : public TemporaryDirectory {};

TEST_F(StormCsv, IsReadInAnyForm) {
  for (const std::string text :
       {"position,energy\n1,2\n3,-4\n", "energy,position\n2,1\n-4,3\n",
        "position,energy\r\n1,2\r\n3,-4", "position,energy\r1,2\r3,-4\r",
        "\xEF\xBB\xBFposition,energy\n1,2\n3,-4\n", "\"position\",\"energy\"\n1,2\n3,-4\n",
        "\n#, 9\n position , energy\n\n\t1, 2 #3\n \n 3 , -4\n\n"}) {
    EXPECT_EQ(read_storm(written("a", text)).impacts, (Impacts{{1, 2}, {3, -4}})) << text;
    EXPECT_EQ(announced_impacts_of_file(path("a")), 2) << text;
  }
}

TEST_F(StormCsv, IsWrittenAsPandasWritesIt) {
  write_storm({"", {{4, 100}, {-8, -60}}}, path("a.csv"), storm_csv);
  EXPECT_EQ(content("a.csv"), "position,energy\n4,100\n-8,-60\n");
}

TEST_F(StormCsv, SaysWhatIsWrong) {
  const auto read = [](const std::string& text) {
    const InputFile file("a", text);
    ASSERT_TRUE(storm_csv.begins(file));
    storm_csv.read(file, storm_csv.announced(file));
  };
  const std::string is_no_header =
      " is not the header of a storm, which has the columns position and energy alone (pandas: "
      "to_csv(index=False))";
  expect_refused(read, {{"\nposition;energy\n1;2\n", "2: \"position;energy\"" + is_no_header},
                        {",position,energy\n0,1,2\n", "1: \",position,energy\"" + is_no_header},
                        {"position,position\n", "1: \"position,position\"" + is_no_header},
                        {"energy\n1\n", "1: \"energy\"" + is_no_header}});
  expect_refused(
      [&](const std::string& rows) { read("position,energy\n" + rows); },
      {{"1,2\n\n3\n", "4: this row lacks an energy"},
       {"1,2,3\n", "2: \"3\" behind the two numbers of a row"},
       {"1,\n", "2: this row lacks an energy"},
       {"1,2147483648\n",
        "2: energy \"2147483648\" is out of range; it must lie between -2147483648 and 2147483647"},
       {"1,2\n,3,4\n", "3: position \",3\" is not an integer"},
       {"\"1\",3\n", "2: position \"\\\"1\\\"\" is not an integer"}});
}

}  // namespace
}  // namespace bombard
