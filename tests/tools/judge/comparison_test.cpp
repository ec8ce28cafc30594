#include "tools/judge/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "sim/generation.hpp"

namespace bombard::judge {
namespace {

using Maxima = std::vector<PrintedMaximum>;

/// Equal peaks at 9 and 50, at 20 and 39, at 4 and 55.
class Comparison : public testing::Test {
 protected:
  std::string difference(const Maxima& maxima, std::optional<double> tolerance = {}) const {
    const Difference found = difference_of(maxima, tried_, right_, allowed(tolerance));
    return found.is_allowed ? "" : found.text;
  }
  AllowedErrors allowed(std::optional<double> tolerance = {}) const {
    return allowed_errors(tried_, right_, tolerance);
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
  maxima_[0].position = 50;  // as high: roundings may make it the maximum
  maxima_[1] = {38, 54553.515625};
  maxima_[2].value = 0;
  EXPECT_EQ(difference(maxima_), "storm 2 of 3: position 38 in place of 20, maximum 54553.515625");
  maxima_[1] = {20, 54554};
  EXPECT_EQ(difference(maxima_),
            "storm 2 of 3: position 20, maximum 54554 in place of 54553.515625 (off by 8.9e-06 of "
            "it)");
}

TEST_F(Comparison, OfNoNumbers) {
  maxima_[0].value = std::numeric_limits<double>::quiet_NaN();
  const std::string expected = "storm 1 of 3: position 9, maximum nan in place of 6393.753906";
  EXPECT_EQ(difference(maxima_), expected);
  EXPECT_EQ(difference(maxima_, 1.0), expected);
}

TEST_F(Comparison, WithATolerance) {
  maxima_[2].value *= 1 + 1e-5;
  EXPECT_NE(difference(maxima_), "");
  EXPECT_EQ(difference(maxima_, 2e-5), "");
  EXPECT_NE(difference(maxima_, 0.5e-5), "");
  EXPECT_EQ(difference_of(maxima_, tried_, right_, allowed()).distance,
            (maxima_[2].value - 338717.71875) / 338717.71875);
}

TEST_F(Comparison, WithAnAbsoluteTolerance) {
  maxima_[0].value += 0.5;
  const auto is_allowed = [&](std::optional<double> relative, double absolute) {
    return difference_of(maxima_, tried_, right_,
                         allowed_errors(tried_, right_, relative, absolute))
        .is_allowed;
  };
  EXPECT_TRUE(is_allowed({}, 0.51));
  EXPECT_FALSE(is_allowed({}, 0.49));
  EXPECT_TRUE(is_allowed(1e-4, 0));  // the larger one counts
  EXPECT_FALSE(is_allowed(1e-5, 0));
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
}

TEST_F(Comparison, BesideAMaximumOfZero) {
  const Case none{.cells = 2, .storms = {Storm{"", {{0, 100}}}}};
  const RightAnswer right = right_answer(none);
  const auto difference = [&](const Maxima& maxima) {
    const Difference found = difference_of(maxima, none, right, allowed_errors(none, right, 0.1));
    return found.is_allowed ? "" : found.text;
  };
  EXPECT_EQ(difference({{0, 0}}), "");
  EXPECT_EQ(difference({{0, 1e-9}}),
            "storm 1 of 1: position 0, maximum 1e-09 in place of 0.000000");
  EXPECT_NE(difference({{1, 0}}), "");
}

// ---- roundings ----

/// The largest relative error of the case's sums in another order, against its bound.
double error_by_bound(const Case& tried, const RightAnswer& right, std::uint32_t seed) {
  Case shuffled = tried;
  std::mt19937 generator(seed);
  for (Storm& storm : shuffled.storms) std::ranges::shuffle(storm.impacts, generator);
  const std::vector<Maximum> maxima = right_answer(shuffled).maxima;
  const AllowedErrors allowed = allowed_errors(tried, right);
  double most = 0;
  for (std::size_t storm = 0; storm < maxima.size(); ++storm) {
    const double error = std::abs(maxima[storm].value - right.maxima[storm].value);
    most = std::max(most, error / allowed.all[storm]);
  }
  return most;
}

// The bound is five standard deviations: shuffled sums stay below it, and are not far below.
TEST(Roundings, AreWithinTheirBound) {
  for (Case tried : quick_cases(Edition::second)) {
    if (tried.name != "many_impacts" && tried.name != "random_impacts") continue;
    const RightAnswer right = right_answer(tried);
    double most = 0;
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      most = std::max(most, error_by_bound(tried, right, seed));
    }
    EXPECT_LT(most, 1) << tried.name;
    EXPECT_GT(most, 0.05) << tried.name;
  }
}

// The six storms of a usual test: 20000 impacts each. A halo that is off by 2.7e-5 is no rounding.
TEST(Roundings, AreSmallerThanAWrongHalo) {
  for (const int storms : {1, 6}) {
    Case tried{.cells = 300};
    for (int i = 0; i < storms; ++i) {
      tried.storms.push_back(generate_storm(tried.cells, 20000, 1, 1000, 7, i));
    }
    const RightAnswer right = right_answer(tried);
    const double bound = allowed_errors(tried, right).all.back();
    EXPECT_LT(bound, 2.7e-5 * right.maxima.back().value) << storms;
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
      EXPECT_LT(error_by_bound(tried, right, seed), 1) << storms;
    }
  }
}

// Energies of both signs leave little of large sums: roundings are those of the large ones.
TEST(Roundings, AreRelativeToWhatIsAdded) {
  Case tried{.cells = 40, .storms = {Storm{"", {{20, 1'000'000}, {20, -1'000'000}, {10, 1}}}}};
  const RightAnswer right = right_answer(tried);
  EXPECT_LT(right.maxima[0].value, 100);
  EXPECT_GT(allowed_errors(tried, right).all[0], 1);
  tried.storms[0].impacts.resize(1);
  EXPECT_LT(allowed_errors(tried, right_answer(tried)).all[0], 50);
}

// Cells 19 and 20 are equal in the rule; one is above the other by roundings.
TEST(Roundings, MakeAPeakOfAPlateau) {
  const Case plateau{.cells = 40, .storms = {Storm{"", {{19, 500}, {20, 500}}}}};
  const RightAnswer right = right_answer(plateau);
  ASSERT_EQ(right.maxima[0].position, 0);
  const double height = right_layer(plateau, 1)[19];
  const auto is_allowed = [&](std::int64_t position, double value) {
    return difference_of({{position, value}}, plateau, right, allowed_errors(plateau, right))
        .is_allowed;
  };
  EXPECT_TRUE(is_allowed(20, height));
  EXPECT_TRUE(is_allowed(19, height * (1 + 2e-7)));
  EXPECT_FALSE(is_allowed(18, right_layer(plateau, 1)[18]));
  EXPECT_FALSE(is_allowed(19, height * 1.00001));
}

// ---- two runs ----

TEST_F(Comparison, OfTwoRuns) {
  Maxima other = maxima_;
  EXPECT_EQ(difference_between(maxima_, other, right_, allowed()), "");
  other[1].value += 0.01;
  EXPECT_EQ(difference_between(maxima_, other, right_, allowed()), "");
  other[2].value += 3387.1771875;
  EXPECT_EQ(
      difference_between(maxima_, other, right_, allowed()),
      "storm 3: position 4, maximum 338717.718750, then position 4, maximum 342104.8959375 in "
      "place of 338717.718750 (off by 1.0e-02 of it)");
  other = maxima_;
  other[0].value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(difference_between(maxima_, other, right_, allowed()), "");
  EXPECT_EQ(difference_between(other, other, right_, allowed()), "");
}

}  // namespace
}  // namespace bombard::judge
