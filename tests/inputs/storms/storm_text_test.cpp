#include "inputs/storms/storm_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "tests/text.hpp"

namespace bombard {
namespace {

using Impacts = std::vector<Impact>;
using namespace std::string_literals;

Impacts parsed(const std::string& text) {
  return parse_storm(text, "a.txt").impacts;
}

/// Texts, each with the message with which it is rejected, behind the file's name and a colon.
void expect_rejections(const tests::Refusals& texts) {
  const auto message = [](const std::string& text) {
    return tests::message_of([&] { parsed(text); });
  };
  tests::expect_messages(texts, message, "a.txt:");
}

TEST(StormText, ReadsCountAndPairs) {
  EXPECT_EQ(parsed("3\n4 100\n8 60\n-2 -7\n"), (Impacts{{4, 100}, {8, 60}, {-2, -7}}));
  EXPECT_EQ(parse_storm("1 2 3", "storms/b.txt").name, "storms/b.txt");
}

// number_text_test.cpp tests which numbers there are, and what may stand between them.
TEST(StormText, IsATextOfNumbersWithinTheirLimits) {
  for (const std::string text : {"2 1 2 3 4", "2\r1 2\r3 4\r", "2 # impacts,\n1,2\n, 3,4,\n#"}) {
    EXPECT_EQ(parsed(text), (Impacts{{1, 2}, {3, 4}})) << text;
  }
  EXPECT_EQ(parsed("2 2305843009213693952 2147483647 -2305843009213693952 -2147483648"),
            (Impacts{{largest_position, 2147483647}, {-largest_position, -2147483647 - 1}}));
  const std::string positions =
      " is out of range; it must lie between -2305843009213693952 and 2305843009213693952";
  const std::string energies = " is out of range; it must lie between -2147483648 and 2147483647";
  expect_rejections(
      {{"1\n2305843009213693953 1", "2: position \"2305843009213693953\"" + positions},
       {"1\n-2305843009213693953 1", "2: position \"-2305843009213693953\"" + positions},
       {"1\n1\n2147483648", "3: energy \"2147483648\"" + energies},
       {"1\n1 -2147483649", "2: energy \"-2147483649\"" + energies},
       {"1\n4 12x", "2: energy \"12x\" is not an integer"},
       {"1\n0x10 1", "2: position \"0x10\" is not an integer"},
       {",1 4 12", "1: count \",1\" is not an integer"}});
}

TEST(StormText, RejectsATextWithoutCount) {
  const std::string empty =
      "no count: the file is empty; a storm begins with the number of its impacts";
  expect_rejections({{"", "1: " + empty},
                     {"\xEF\xBB\xBF", "1: " + empty},
                     {" \n\t\r\n", "3: " + empty},
                     {"# nothing\n", "2: " + empty},
                     {"storm", "1: count \"storm\" is not an integer"},
                     {"\n2.0 1 1 1 1", "2: count \"2.0\" is not an integer"}});
}

TEST(StormText, RejectsACountThatCannotBe) {
  const std::string negative = " is negative; a storm begins with the number of its impacts";
  expect_rejections({{"\n\n-3\n1 1", "3: count \"-3\"" + negative},
                     {"-9999999999999999999", "1: count \"-9999999999999999999\"" + negative}});
  expect_rejections(
      {{"\n1000000000000000000 1 1",
        "2: the count on line 2 says 1000000000000000000 pairs but the file holds 1"},
       {"\n99999999999999999999 1 1",
        "2: the count on line 2 says 9223372036854775807 pairs but the file holds 1"}});
}

TEST(StormText, RejectsOtherNumbersOfPairsThanTheCountSays) {
  const std::string behind = " after the last pair; the count on line 1 says ";
  expect_rejections(
      {{"3\n1 1\n2 2\n\n\n", "3: the count on line 1 says 3 pairs but the file holds 2"},
       {"\n1", "2: the count on line 2 says 1 pair but the file holds 0"},
       // A wrong count that fits in memory takes none.
       {"100000000 1 1", "1: the count on line 1 says 100000000 pairs but the file holds 1"},
       {"3\n1 1\n22\n",
        "3: position 22 has no energy: the file ends here, in pair 2 of the 3 that the count on "
        "line 1 says"},
       {"2\n1 1\n2 2\n\n3 3\n", "5: data \"3\"" + behind + "2 pairs"},
       {"1 1 1 x", "1: data \"x\"" + behind + "1 pair"},
       {"0\n0", "2: data \"0\"" + behind + "0 pairs"},
       {"1 4 12,,", "1: data \",\"" + behind + "1 pair"},
       {"1\n1 1\n\0"s, "3: data \"\\x00\"" + behind + "1 pair"}});
}

}  // namespace
}  // namespace bombard
