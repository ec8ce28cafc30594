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

/// Texts, each with what it is rejected with, behind the file's name and a colon.
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

TEST(StormText, AcceptsWhiteSpaceCommentsAndCommas) {
  for (const std::string text : {"2 1 2 3 4", "2\r\n1 2\r\n3 4\r\n", "2\r1 2\r3 4\r",
                                 "\n\n \t2\n\n1\n2\n3\n4\n\n \n", "2\v1\f2\t3 \v\f\t\r\n 4",
                                 // comments to the end of their lines
                                 "# three, 3\n2 # impacts\n1 2# no 5 6\r\n#\n3 4\n# the end",
                                 "\xEF\xBB\xBF# by hand\n2 1 2 3 4", "2 # m\r1 2\r#\r3 4\r",
                                 // one comma behind a number
                                 "2\n1,2\n3,4\n", "2,\n1 , 2,\n3,4,", "2 1 # so,\n, 2 3 4"}) {
    EXPECT_EQ(parsed(text), (Impacts{{1, 2}, {3, 4}})) << text;
  }
  expect_rejections(
      {{"1 # one\r# two\r\n4 12x", "3: energy \"12x\" is not an integer"},
       {"1 # one\n# two\n4 12x", "3: energy \"12x\" is not an integer"},
       {"1\n4,,12", "2: energy \",12\" is not an integer"},
       {"1\n4,#\n,12", "3: energy \",12\" is not an integer"},
       {",1 4 12", "1: count \",1\" is not an integer"},
       {"1 4 12,,", "1: data \",\" after the last pair; the count on line 1 says 1 pair"}});
}

TEST(StormText, RejectsNumbersBeyondTheirLimits) {
  const std::string positions =
      " is out of range; it must lie between -2305843009213693952 and 2305843009213693952";
  const std::string energies = " is out of range; it must lie between -2147483648 and 2147483647";
  expect_rejections(
      {{"1\n2305843009213693953 1", "2: position \"2305843009213693953\"" + positions},
       {"1\n-2305843009213693953 1", "2: position \"-2305843009213693953\"" + positions},
       {"1\n\n18446744073709551617 1", "3: position \"18446744073709551617\"" + positions},
       {"1\n1000000000000000000000000000000 1",
        "2: position \"10000000000000000000...\"" + positions},
       {"1\n1\n2147483648", "3: energy \"2147483648\"" + energies},
       {"1\n1 -2147483649", "2: energy \"-2147483649\"" + energies},
       {"1\n1 4294967297", "2: energy \"4294967297\"" + energies}});
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
       // A lie that fits in memory takes none.
       {"100000000 1 1", "1: the count on line 1 says 100000000 pairs but the file holds 1"},
       {"3\n1 1\n22\n",
        "3: position 22 has no energy: the file ends here, in pair 2 of the 3 that the count on "
        "line 1 says"},
       {"2\n1 1\n2 2\n\n3 3\n", "5: data \"3\"" + behind + "2 pairs"},
       {"1 1 1 x", "1: data \"x\"" + behind + "1 pair"},
       {"0\n0", "2: data \"0\"" + behind + "0 pairs"},
       {"1\n1 1\n\0"s, "3: data \"\\x00\"" + behind + "1 pair"}});
}

TEST(StormText, RejectsTokensThatAreNotIntegers) {
  expect_rejections({{"1\n4 12x", "2: energy \"12x\" is not an integer"},
                     {"1\n4 1e3", "2: energy \"1e3\" is not an integer"},
                     {"1\n0x10 1", "2: position \"0x10\" is not an integer"}});
  for (const std::string token : {"-", "+", "--1", "+-1", "1-", "1+1", "."}) {
    expect_rejections(
        {{"1\r\n" + token + " 1", "2: position \"" + token + "\" is not an integer"}});
  }
  // Rubbish is shown escaped and cut.
  expect_rejections(
      {{"\x7F"
        "ELF\x02\x01\0\xFF rest"s,
        R"(1: count "\x7fELF\x02\x01\x00\xff" is not an integer)"},
       {"1\nsay\"back\\slash 1", R"(2: position "say\"back\\slash" is not an integer)"},
       {"1 1 " + std::string(1000, 'z'),
        "1: energy \"zzzzzzzzzzzzzzzzzzzz...\" is not an integer"}});
}

}  // namespace
}  // namespace bombard
