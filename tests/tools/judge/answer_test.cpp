#include "tools/judge/answer.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bombard::judge {
namespace {

using Maxima = std::vector<PrintedMaximum>;

TEST(Answers, AreTheLinesOfThePublishedProgram) {
  const Answer answer = parse_answer("\nTime: 0.000243\nResult: 42 6261.730469 0 0.000000\n", 2);
  EXPECT_EQ(answer.trouble, "");
  EXPECT_EQ(answer.maxima, (Maxima{{42, 6261.730469}, {0, 0}}));
  EXPECT_EQ(answer.seconds, 0.000243);
}

TEST(Answers, StandAmongAnythingElse) {
  const Answer answer = parse_answer(
      "reading...\nTime: soon\n  Time: 1.5\r\nMy Result: 7 7\nResult:\t3   14270.1\r\nbye", 1);
  EXPECT_EQ(answer.trouble, "");
  EXPECT_EQ(answer.maxima, (Maxima{{3, 14270.1}}));
  EXPECT_EQ(answer.seconds, 1.5);
}

TEST(Answers, NeedNoTime) {
  const Answer answer = parse_answer("Result: 1 2.0", 1);
  EXPECT_EQ(answer.trouble, "");
  EXPECT_FALSE(answer.seconds);
}

TEST(Answers, HaveAPairForEachStorm) {
  EXPECT_EQ(parse_answer("Result: 1 2.0 3 4.0\n", 3).trouble,
            "its Result: line has 4 numbers; a position and a maximum for each of 3 storms are 6");
  EXPECT_EQ(parse_answer("Result: 1\n", 1).trouble,
            "its Result: line has 1 number; a position and a maximum for each of 1 storm are 2");
  EXPECT_EQ(parse_answer("Result:\n", 1).trouble,
            "its Result: line has 0 numbers; a position and a maximum for each of 1 storm are 2");
  EXPECT_TRUE(parse_answer("Result: 1 2.0 3 4.0\n", 3).maxima.empty());
}

TEST(Answers, AreThereOnce) {
  EXPECT_EQ(parse_answer("", 1).trouble, "it prints no Result: line");
  EXPECT_EQ(parse_answer("result: 1 2\n", 1).trouble, "it prints no Result: line");
  EXPECT_EQ(parse_answer("Result: 1 2\nResult: 1 2\n", 1).trouble,
            "it prints 2 Result: lines; one process alone must print one");
}

TEST(Answers, AreNumbers) {
  EXPECT_EQ(parse_answer("Result: 1.0 2.0\n", 1).trouble,
            "in its Result: line position \"1.0\" is not an integer");
  EXPECT_EQ(parse_answer("Result: 1 2.0f\n", 1).trouble,
            "in its Result: line maximum \"2.0f\" is not a number");
  EXPECT_EQ(parse_answer("Result: 1 \x1b[2J\n", 1).trouble,
            "in its Result: line maximum \"\\x1b[2J\" is not a number");
  EXPECT_TRUE(std::isnan(parse_answer("Result: 1 -nan\n", 1).maxima.at(0).value));
}

TEST(Answers, OfTheRuleArePrintedAsByTheProgram) {
  const std::vector<Maximum> maxima{{42, 6261.73046875}, {0, 0}};
  EXPECT_EQ(result_line(maxima), "Result: 42 6261.730469 0 0.000000\n");
  EXPECT_EQ(printed(maxima), (Maxima{{42, 6261.730469}, {0, 0}}));
}

}  // namespace
}  // namespace bombard::judge
