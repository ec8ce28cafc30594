#include "kernels/share/reach.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace bombard {
namespace {

// e = 6 and T = 2: the share 6 / sqrt(n) is 2 at n = 9.
TEST(Reach, ByHand) {
  const LayerRule<SquareRootLaw> rule{{}, {1, 1}, 2};
  EXPECT_EQ(reach(rule, 6), 9);
  EXPECT_EQ(reach(rule, -6), 9);
  EXPECT_EQ(reach(rule, 2), 1);
  EXPECT_EQ(reach(rule, 1), 0);
  EXPECT_EQ(reach(rule, 0), 0);
  EXPECT_EQ(reach(LayerRule<GeneralLaw>{{4}, {1, 1}, 2}, 7), 3);   // 7 / n
  EXPECT_EQ(reach(LayerRule<GeneralLaw>{{8}, {1, 1}, 2}, 18), 3);  // 18 / n^2
}

TEST(Reach, WithoutAThresholdItEndsNowhere) {
  EXPECT_EQ(reach(LayerRule<SquareRootLaw>{{}, {1, 1}, 0}, 1), reaches_everywhere);
  EXPECT_EQ(reach(LayerRule<SquareRootLaw>{{}, {1, 1}, 0}, 0), 0);
}

// 1 / n^4 is below half of 2^-149, and so 0, from about n = 2^37.5 on; the divisor is infinite from
// n = 2^32 on.
TEST(Reach, ASharesThatComesToNothingDoesNotCount) {
  EXPECT_EQ(reach(LayerRule<GeneralLaw>{{16}, {1, 1}, 0}, 1), (std::int64_t{1} << 32) - 129);
  EXPECT_EQ(reach(LayerRule<GeneralLaw>{{15}, {1, 1}, 0}, 1),
            reach(LayerRule<GeneralLaw>{{15}, {1, 1}, 0}, -1));
}

template <class Law>
void expect_both_sides_of_the_cut(const Law& law) {
  std::mt19937_64 random(static_cast<unsigned>(4 * law.power()));
  for (int i = 0; i < 20'000; ++i) {
    const auto energy = static_cast<std::int32_t>(random());
    const auto wanted = static_cast<std::int64_t>(random() >> (3 + random() % 61));
    LayerRule<Law> rule{law, {1, 1000}, 0};
    const float scaled = rule.energy(energy);
    // Shares count up to this distance, and hardly beyond it or not at all.
    rule.smallest =
        std::fabs(rule.share(scaled, static_cast<float>(std::max<std::int64_t>(wanted, 1))));
    if (i % 3 == 0) rule.smallest *= 1.3F;
    const std::int64_t n = reach(rule, energy);
    if (n > 0) {
      EXPECT_TRUE(rule.adds(scaled, static_cast<float>(n))) << n;
    }
    if (n < reaches_everywhere) {
      EXPECT_FALSE(rule.adds(scaled, static_cast<float>(n + 1))) << n;
    }
  }
}

TEST(Reach, TheRuleItselfSaysSoOnBothSidesOfTheCut) {
  expect_both_sides_of_the_cut(SquareRootLaw());
  for (int quarters = 1; quarters <= 16; ++quarters) {
    expect_both_sides_of_the_cut(GeneralLaw{quarters});
  }
}

// A guess changes only the time.
TEST(Reach, AnyGuessGivesTheSame) {
  const std::int64_t last = 123'456'789;
  for (const double guess : {0.0, -1.0, 1.0, 2.0, 1e8, 123'456'788.0, 123'456'789.0, 123'456'790.0,
                             123'456'791.0, 2e8, 4e18, 1e30, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(last_counted(guess, [&](std::int64_t n) { return n <= last; }), last) << guess;
    EXPECT_EQ(last_counted(guess, [](std::int64_t n) { return n <= 1; }), 1) << guess;
    EXPECT_EQ(last_counted(guess, [](std::int64_t n) { return n < reaches_everywhere; }),
              reaches_everywhere - 1)
        << guess;
  }
}

TEST(Reach, OfTrueShares) {
  EXPECT_EQ(reach(TrueRule{{1}, 1, 0.001}, 1), 1000);
  EXPECT_EQ(reach(TrueRule{{0.3}, 1, 0.5}, 1), 10);  // 2^(1/0.3) = 10.08
  EXPECT_EQ(reach(TrueRule{{0.3}, 1, 0}, 1), reaches_everywhere);
  // exp(-(n - 1) / 10) >= 0.5 up to n - 1 = 6.93
  EXPECT_EQ(reach(TrueRule{{0, 10}, 1, 0.5}, 1), 7);
  EXPECT_EQ(reach(TrueRule{{0, 10}, 1, 2}, 1), 0);
  // 1 / 10 exp(-9 / 9) = 0.03679, 1 / 11 exp(-10 / 9) = 0.02993
  EXPECT_EQ(reach(TrueRule{{1, 9}, 1, 0.03}, 1), 10);
}

}  // namespace
}  // namespace bombard
