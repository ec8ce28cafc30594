#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inputs/storms/storm_file.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

using namespace std::string_literals;

std::vector<Impact> read(const std::string& text) {
  const InputFile file("a", text);
  return storm_text.read(file, storm_text.announced(file));
}

// The fuzz target storm tests more texts, and the lines of their errors.
TEST(StormText, ReadsCountAndPairs) {
  EXPECT_EQ(read("3 # impacts\n4 100\n8,60\n-2 -7\n"),
            (std::vector<Impact>{{4, 100}, {8, 60}, {-2, -7}}));
}

TEST(StormText, SaysWhatIsWrong) {
  const std::string empty =
      "no count: the file is empty; a storm begins with the number of its impacts";
  const std::string counts = " is out of range; it must lie between 0 and 9223372036854775806";
  const std::string positions =
      " is out of range; it must lie between -2305843009213693952 and 2305843009213693952";
  const std::string energies = " is out of range; it must lie between -2147483648 and 2147483647";
  const std::string behind = " after the last pair; the count on line 1 says ";
  expect_refused(
      read,
      {{"", "1: " + empty},
       {"# nothing\n", "2: " + empty},
       {"\n2.0 1 1 1 1", "2: count \"2.0\" is not an integer"},
       {"-9999999999999999999", "1: count \"-9999999999999999999\"" + counts},
       {"1\n-2305843009213693953 1", "2: position \"-2305843009213693953\"" + positions},
       {"1\n1\n2147483648", "3: energy \"2147483648\"" + energies},
       {"3\n1 1\n2 2\n\n\n", "3: the count on line 1 says 3 pairs but the file holds 2"},
       {"\n1", "2: the count on line 2 says 1 pair but the file holds 0"},
       // A wrong count takes no memory.
       {"9223372036854775806 1 1",
        "1: the count on line 1 says 9223372036854775806 pairs but the file holds 1"},
       {"3\n1 1\n22\n",
        "3: position 22 has no energy: the file ends here, in pair 2 of the 3 that the count on "
        "line 1 says"},
       {"2\n1 1\n2 2\n\n3 3\n", "5: data \"3\"" + behind + "2 pairs"},
       {"1\n1 1\n\0"s, "3: data \"\\x00\"" + behind + "1 pair"}});
}

}  // namespace
}  // namespace bombard
