#include "tools/judge/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace bombard::judge {
namespace {

using Maxima = std::vector<PrintedMaximum>;

/// Equal peaks at 9 and 50, at 20 and 39, at 4 and 55.
class Comparison : public testing::Test {
 protected:
  std::string difference(const Maxima& maxima, std::optional<double> tolerance = {}) const {
    return first_difference(tried_, right_, maxima, tolerance);
  }

  const Case tried_ = [] {
    const std::vector<Case> cases = quick_cases(Edition::second);
    return *std::ranges::find(cases, "ties", &Case::name);
  }();
  const RightAnswer right_ = right_answer(tried_);
  Maxima maxima_{{9, 6393.753906}, {20, 54553.515625}, {4, 338717.71875}};
};

TEST_F(Comparison, OfTheSameDigits) {
  EXPECT_EQ(difference(maxima_), "");
}

TEST_F(Comparison, TellsTheFirstStormThatDiffers) {
  maxima_[1] = {39, 54553.515625};
  maxima_[2].value = 0;
  EXPECT_EQ(difference(maxima_), "storm 2 of 3: position 39 in place of 20, maximum 54553.515625");
  maxima_[1] = {20, 54553.515626};
  EXPECT_EQ(difference(maxima_),
            "storm 2 of 3: position 20, maximum 54553.515626 in place of 54553.515625 (off by "
            "1.8e-11 of it)");
}

TEST_F(Comparison, OfNoNumbers) {
  maxima_[0].value = std::numeric_limits<double>::quiet_NaN();
  const std::string expected = "storm 1 of 3: position 9, maximum nan in place of 6393.753906";
  EXPECT_EQ(difference(maxima_), expected);
  EXPECT_EQ(difference(maxima_, 1.0), expected);
  EXPECT_FALSE(only_roundings_differ(right_, maxima_));
}

TEST_F(Comparison, WithATolerance) {
  maxima_[2].value *= 1 + 1e-5;
  EXPECT_NE(difference(maxima_), "");
  EXPECT_EQ(difference(maxima_, 2e-5), "");
  EXPECT_NE(difference(maxima_, 0.5e-5), "");
  EXPECT_TRUE(only_roundings_differ(right_, maxima_));
}

// Another position is right where the rule's layer is as high as at the maximum.
TEST_F(Comparison, OfPositionsWithATolerance) {
  maxima_[0].position = 50;
  EXPECT_EQ(difference(maxima_, 1e-6), "");
  for (const std::int64_t position :
       {std::int64_t{10}, std::int64_t{0}, std::int64_t{59}, std::int64_t{-1}, std::int64_t{60},
        std::numeric_limits<std::int64_t>::max()}) {
    maxima_[0].position = position;
    EXPECT_NE(difference(maxima_, 1e-6), "") << position;
  }
  EXPECT_FALSE(only_roundings_differ(right_, maxima_));
}

TEST_F(Comparison, BesideAMaximumOfZero) {
  const Case none{.cells = 2, .storms = {Storm{"", {{0, 100}}}}};
  const RightAnswer right = right_answer(none);
  EXPECT_EQ(first_difference(none, right, {{0, 0}}, 0.1), "");
  EXPECT_EQ(first_difference(none, right, {{0, 1e-9}}, 0.1),
            "storm 1 of 1: position 0, maximum 1e-09 in place of 0.000000");
  EXPECT_NE(first_difference(none, right, {{1, 0}}, 0.1), "");
}

}  // namespace
}  // namespace bombard::judge
