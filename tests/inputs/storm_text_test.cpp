#include "inputs/storm_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bombard/errors.hpp"
#include "tests/inputs/damage.hpp"

namespace bombard {
namespace {

using Impacts = std::vector<Impact>;
using namespace std::string_literals;

Impacts parsed(const std::string& text) {
  return parse_storm(text, "a.txt").impacts;
}

/// What the text, as file a.txt, is rejected with.
std::string rejection(const std::string& text) {
  try {
    parsed(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(StormText, ReadsCountAndPairs) {
  EXPECT_EQ(parsed("3\n4 100\n8 60\n-2 -7\n"), (Impacts{{4, 100}, {8, 60}, {-2, -7}}));
  EXPECT_EQ(parse_storm("1 2 3", "storms/b.txt").name, "storms/b.txt");
}

TEST(StormText, AcceptsAnyWhiteSpaceAndNoTrailingNewline) {
  const Impacts two{{1, 2}, {3, 4}};
  EXPECT_EQ(parsed("2 1 2 3 4"), two);
  EXPECT_EQ(parsed("2\r\n1 2\r\n3 4\r\n"), two);
  EXPECT_EQ(parsed("2\r1 2\r3 4\r"), two);
  EXPECT_EQ(parsed("\n\n \t2\n\n1\n2\n3\n4\n\n \n"), two);
  EXPECT_EQ(parsed("2\v1\f2\t3 \v\f\t\r\n 4"), two);
}

TEST(StormText, AcceptsCommentsToTheEndOfTheirLines) {
  const Impacts two{{1, 2}, {3, 4}};
  EXPECT_EQ(parsed("# three, 3\n2 # impacts\n1 2# no 5 6\r\n#\n3 4\n# the end"), two);
  EXPECT_EQ(parsed("\xEF\xBB\xBF# by hand\n2 1 2 3 4"), two);
  EXPECT_EQ(rejection("1 # one\n# two\n4 12x"), "a.txt:3: energy \"12x\" is not an integer");
  EXPECT_EQ(rejection("# nothing\n"),
            "a.txt:2: no count: the file is empty; a storm begins with the number of its impacts");
}

TEST(StormText, AcceptsOneCommaBehindANumber) {
  const Impacts two{{1, 2}, {3, 4}};
  EXPECT_EQ(parsed("2\n1,2\n3,4\n"), two);
  EXPECT_EQ(parsed("2,\n1 , 2,\n3,4,"), two);
  EXPECT_EQ(parsed("2 1 # so,\n, 2 3 4"), two);
  EXPECT_EQ(rejection("1\n4,,12"), "a.txt:2: energy \",12\" is not an integer");
  EXPECT_EQ(rejection("1\n4,#\n,12"), "a.txt:3: energy \",12\" is not an integer");
  EXPECT_EQ(rejection(",1 4 12"), "a.txt:1: count \",1\" is not an integer");
  EXPECT_EQ(rejection("1 4 12,,"),
            "a.txt:1: data \",\" after the last pair; the count on line 1 says 1 pair");
}

// A piece may end anywhere in a comment or at a comma.
TEST(StormText, PiecesDoNotChangeWhatIsRead) {
  const std::string text =
      "# a comment, longer than a piece and withoutanywhitespaceinit\n2,1,2#x\n,3,4";
  for (std::size_t piece = 4; piece <= text.size() + 1; ++piece) {
    EXPECT_EQ(parse_storm(text, "a.txt", piece).impacts, (Impacts{{1, 2}, {3, 4}})) << piece;
  }
}

TEST(StormText, AcceptsSignsZerosInFrontAndByteOrderMark) {
  EXPECT_EQ(parsed("+1 +5 -0"), (Impacts{{5, 0}}));
  EXPECT_EQ(parsed("001 -0005 0000000000000000000000000000000000012"), (Impacts{{-5, 12}}));
  EXPECT_EQ(parsed("1 00000000000000000000 -00000000000000000000"), (Impacts{{0, 0}}));
  EXPECT_EQ(parsed("\xEF\xBB\xBF"
                   "1 2 3"),
            (Impacts{{2, 3}}));
}

TEST(StormText, AcceptsAStormWithoutImpacts) {
  EXPECT_EQ(parsed("0"), Impacts{});
  EXPECT_EQ(parsed("-0\n"), Impacts{});
}

TEST(StormText, AcceptsNumbersAtTheirLimits) {
  EXPECT_EQ(
      parsed("2 2305843009213693952 2147483647 -2305843009213693952 -2147483648"),
      (Impacts{{std::int64_t{1} << 61, 2147483647}, {-(std::int64_t{1} << 61), -2147483647 - 1}}));
  EXPECT_EQ(parsed("1 999999999999999999 1"), (Impacts{{999999999999999999, 1}}));
  EXPECT_EQ(parsed("1 1000000000000000000 1"), (Impacts{{1000000000000000000, 1}}));
}

TEST(StormText, RejectsNumbersBeyondTheirLimits) {
  const std::string positions =
      " is out of range; it must lie between -2305843009213693952 and 2305843009213693952";
  EXPECT_EQ(rejection("1\n2305843009213693953 1"),
            "a.txt:2: position \"2305843009213693953\"" + positions);
  EXPECT_EQ(rejection("1\n-2305843009213693953 1"),
            "a.txt:2: position \"-2305843009213693953\"" + positions);
  EXPECT_EQ(rejection("1\n\n18446744073709551617 1"),
            "a.txt:3: position \"18446744073709551617\"" + positions);
  EXPECT_EQ(rejection("1\n1000000000000000000000000000000 1"),
            "a.txt:2: position \"10000000000000000000...\"" + positions);
  const std::string energies = " is out of range; it must lie between -2147483648 and 2147483647";
  EXPECT_EQ(rejection("1\n1\n2147483648"), "a.txt:3: energy \"2147483648\"" + energies);
  EXPECT_EQ(rejection("1\n1 -2147483649"), "a.txt:2: energy \"-2147483649\"" + energies);
  EXPECT_EQ(rejection("1\n1 4294967297"), "a.txt:2: energy \"4294967297\"" + energies);
}

TEST(StormText, RejectsATextWithoutCount) {
  const std::string empty =
      "no count: the file is empty; a storm begins with the number of its impacts";
  EXPECT_EQ(rejection(""), "a.txt:1: " + empty);
  EXPECT_EQ(rejection("\xEF\xBB\xBF"), "a.txt:1: " + empty);
  EXPECT_EQ(rejection(" \n\t\r\n"), "a.txt:3: " + empty);
  EXPECT_EQ(rejection("storm"), "a.txt:1: count \"storm\" is not an integer");
  EXPECT_EQ(rejection("\n2.0 1 1 1 1"), "a.txt:2: count \"2.0\" is not an integer");
}

TEST(StormText, RejectsACountThatCannotBe) {
  EXPECT_EQ(rejection("\n\n-3\n1 1"),
            "a.txt:3: count \"-3\" is negative; a storm begins with the number of its impacts");
  EXPECT_EQ(rejection("-9999999999999999999"),
            "a.txt:1: count \"-9999999999999999999\" is negative; a storm begins with the number "
            "of its impacts");
  for (const std::string count :
       {"1000000000000000000", "9223372036854775807", "99999999999999999999"}) {
    const std::string message = rejection("\n" + count + " 1 1");
    EXPECT_EQ(message.find("a.txt:2: count \"" + count +
                           "\" is too large for memory: at 16 bytes an impact, the "),
              0u)
        << message;
  }
}

TEST(StormText, RejectsFewerPairsThanTheCountSays) {
  EXPECT_EQ(rejection("3\n1 1\n2 2\n\n\n"),
            "a.txt:3: the count on line 1 says 3 pairs but the file holds 2");
  EXPECT_EQ(rejection("\n1"), "a.txt:2: the count on line 2 says 1 pair but the file holds 0");
  // A lie that fits in memory takes none.
  EXPECT_EQ(rejection("100000000 1 1"),
            "a.txt:1: the count on line 1 says 100000000 pairs but the file holds 1");
}

TEST(StormText, RejectsAPositionWithoutEnergy) {
  EXPECT_EQ(
      rejection("3\n1 1\n22\n"),
      "a.txt:3: position 22 has no energy: the file ends here, in pair 2 of the 3 that the count "
      "on line 1 says");
}

TEST(StormText, RejectsDataAfterTheLastPair) {
  EXPECT_EQ(rejection("2\n1 1\n2 2\n\n3 3\n"),
            "a.txt:5: data \"3\" after the last pair; the count on line 1 says 2 pairs");
  EXPECT_EQ(rejection("1 1 1 x"),
            "a.txt:1: data \"x\" after the last pair; the count on line 1 says 1 pair");
  EXPECT_EQ(rejection("0\n0"),
            "a.txt:2: data \"0\" after the last pair; the count on line 1 says 0 pairs");
  EXPECT_EQ(rejection("1\n1 1\n\0"s),
            "a.txt:3: data \"\\x00\" after the last pair; the count on line 1 says 1 pair");
}

TEST(StormText, RejectsTokensThatAreNotIntegers) {
  EXPECT_EQ(rejection("1\n4 12x"), "a.txt:2: energy \"12x\" is not an integer");
  EXPECT_EQ(rejection("1\n4 1e3"), "a.txt:2: energy \"1e3\" is not an integer");
  EXPECT_EQ(rejection("1\n0x10 1"), "a.txt:2: position \"0x10\" is not an integer");
  for (const std::string token : {"-", "+", "--1", "+-1", "1-", "1+1", "."}) {
    EXPECT_EQ(rejection("1\r\n" + token + " 1"),
              "a.txt:2: position \"" + token + "\" is not an integer");
  }
}

TEST(StormText, ShowsRubbishEscapedAndCut) {
  EXPECT_EQ(rejection("\x7F"
                      "ELF\x02\x01\0\xFF rest"s),
            R"(a.txt:1: count "\x7fELF\x02\x01\x00\xff" is not an integer)");
  EXPECT_EQ(rejection("1\nsay\"back\\slash 1"),
            R"(a.txt:2: position "say\"back\\slash" is not an integer)");
  EXPECT_EQ(rejection("1 1 " + std::string(1000, 'z')),
            "a.txt:1: energy \"zzzzzzzzzzzzzzzzzzzz...\" is not an integer");
}

// A storm damaged at random is read as some storm or rejected with its place, and nothing else.
TEST(StormText, SurvivesRandomDamage) {
  const std::string sound =
      "\xEF\xBB\xBF 5\r\n-12 100\n+7 -60\n2305843009213693952 2147483647\n0\t0\n 35 9\n";
  const std::string alphabet = "0123456789+-,# \n\r\t\v\f.xe\0\x7F\x80\xFF\xEF"s;
  std::mt19937_64 random(2);
  int read = 0;
  int rejected = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::string text = damaged(sound, alphabet, 4, random);
    try {
      const Impacts impacts = parsed(text);
      ++read;
      for (const Impact& impact : impacts) {
        ASSERT_LE(impact.position, largest_position);
        ASSERT_GE(impact.position, -largest_position);
      }
    } catch (const InputError& error) {
      ++rejected;
      const std::string message = error.what();
      ASSERT_EQ(message.find("a.txt:"), 0u) << message;
      ASSERT_TRUE(message.size() > 6 && message[6] >= '1' && message[6] <= '9') << message;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(rejected, 100);
}

}  // namespace
}  // namespace bombard
