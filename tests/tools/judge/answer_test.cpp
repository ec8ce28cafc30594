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
  EXPECT_EQ(parse_answer("Result: +3 +26824.59\n", 1).maxima, (Maxima{{3, 26824.59}}));
  EXPECT_EQ(parse_answer("Result: 3 +-1\n", 1).trouble,
            "in its Result: line maximum \"+-1\" is not a number");
  EXPECT_TRUE(std::isnan(parse_answer("Result: 1 -nan\n", 1).maxima.at(0).value));
}

TEST(Answers, OfTheRuleArePrintedAsByTheProgram) {
  const std::vector<Maximum> maxima{{42, 6261.73046875}, {0, 0}};
  EXPECT_EQ(result_line(maxima), "Result: 42 6261.730469 0 0.000000\n");
  EXPECT_EQ(printed(maxima), (Maxima{{42, 6261.730469}, {0, 0}}));
}

}  // namespace
}  // namespace bombard::judge
