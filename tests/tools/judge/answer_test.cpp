#include "tools/judge/answer.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bombard::judge {
namespace {

using Maxima = std::vector<Maximum>;

TEST(Answers, StandAmongAnythingElse) {
  const Answer answer = parse_answer(
      "reading...\nTime: soon\n  Time: 1.5\r\nMy Result: 7 7\nResult:\t3   14270.1 0 0.0\r\nbye",
      2);
  EXPECT_EQ(answer.trouble, "");
  EXPECT_EQ(answer.maxima, (Maxima{{3, 14270.1}, {0, 0}}));
  EXPECT_EQ(answer.seconds, 1.5);
}

TEST(Answers, ThatAreNone) {
  const std::string one_line = " of their own; one line Result: must have all";
  const std::string pairs = "; a position and a maximum for each of ";
  struct {
    const char* output;
    std::size_t storms;
    std::string trouble;
  } const none[] = {
      {"Result: 1 2.0 3 4.0\n", 3, "its Result: line has 4 numbers" + pairs + "3 storms are 6"},
      {"Result: 1\n", 1, "its Result: line has 1 number" + pairs + "1 storm are 2"},
      {"Result:\n", 1, "its Result: line has 0 numbers" + pairs + "1 storm are 2"},
      {"", 1, "it prints no Result: line"},
      {"result: 1 2\n", 1,
       "it prints no Result: line; \"result: 1 2\" looks like the answer but is not"},
      {"Result: 1 2\nResult: 1 2\n", 1,
       "it prints 2 Result: lines; one process alone must print one"},
      {"Result: 1 2\nResult: 3 4\n", 2, "its maxima are on 2 lines" + one_line},
      {"Result: 1 2\n  3 4.5\n5 6\nTime: 1\n", 3, "its maxima are on 3 lines" + one_line},
      {"maxima\nResult:\n1 2 3 4\n5 6\n", 3, "its maxima are on 2 lines" + one_line},
      {"Result: 1.0 2.0\n", 1, "in its Result: line position \"1.0\" is not an integer"},
      {"Result: 1 2.0f\n", 1, "in its Result: line maximum \"2.0f\" is not a number"},
      {"Result: 1 \x1b[2J\n", 1, "in its Result: line maximum \"\\x1b[2J\" is not a number"}};
  for (const auto& [output, storms, trouble] : none) {
    const Answer answer = parse_answer(output, storms);
    EXPECT_EQ(answer.trouble, trouble);
    EXPECT_TRUE(answer.maxima.empty()) << output;
  }
  EXPECT_EQ(parse_answer("Time total: 3\n", 1).not_the_time, "Time total: 3");
  EXPECT_EQ(parse_answer("time: 3\nTime: 4\n", 1).not_the_time, "");
  EXPECT_EQ(parse_answer("Time: 0,01\nTime total: 3\n", 1).time, "0,01");
  EXPECT_EQ(parse_answer("Time:\n", 1).time, "");
  EXPECT_EQ(parse_answer("Time: 0.01 s\nTime: 0.01s\n", 1).time, "0.01");
  EXPECT_LE(parse_answer("Time: " + std::string(1 << 24, 'x'), 1).time->size(), 100);
  EXPECT_LE(parse_answer("Timer" + std::string(1 << 24, 'x'), 1).not_the_time.size(), 100);
  EXPECT_EQ(parse_answer("Result: +3 +26824.59\n", 1).maxima, (Maxima{{3, 26824.59}}));
  EXPECT_EQ(parse_answer("Result: 3 +-1\n", 1).trouble,
            "in its Result: line maximum \"+-1\" is not a number");
  EXPECT_TRUE(std::isnan(parse_answer("Result: 1 -nan\n", 1).maxima.at(0).value));
}

// A number of enough digits is the nearest float's, and no other one.
TEST(Answers, SayAFloatWithOtherDigits) {
  const struct {
    float number;
    double printed;
    bool says, says_less;
  } rows[] = {{26824.591796875F, 26824.591797, true, false},
              {26824.591796875F, 26824.5918, true, false},  // %.9g
              {26824.591796875F, 26824.592, true, false},   // repr
              {26824.591796875F, 26824.591796875, true, false},
              {26824.591796875F, 26824.5917968, false, false},  // a double beside it
              {26824.591796875F, 26824.59, false, true},
              {26824.591796875F, 26824.6, false, true},
              {26824.599609375F, 26824.6, true, false},
              {26824.591796875F, 26824.593, false, false},
              {0.123456789F, 0.123457, true, false},
              {0.123456789F, 0.123456791, true, false},
              {0.123456789F, 0.1234568, false, true},
              {0.123456789F, 0.123456, false, false},
              {0.123456789F, 0.1235, false, true},
              {3e9F, 3000000000, true, false},
              {0.103191F, 0, false, false},
              {0, 1e-9, false, false},
              {0, std::numeric_limits<double>::quiet_NaN(), false, false}};
  for (const auto& [number, printed, says_it, says_less_of_it] : rows) {
    EXPECT_EQ(says(printed, number), says_it) << printed;
    EXPECT_EQ(!says_it && says_less(printed, number), says_less_of_it) << printed;
  }
  EXPECT_FALSE(says({3, 1.5}, {4, 1.5}));
}

}  // namespace
}  // namespace bombard::judge
