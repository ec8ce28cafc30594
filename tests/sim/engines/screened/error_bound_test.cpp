// The rule's layer and the fast one in every cell, storm by storm (docs/methods.md, The bound).

#include "sim/engines/screened/error_bound.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "tests/random_storms.hpp"
#include "tests/sim/engines/screened/bounded_layer.hpp"

namespace bombard::tests {
namespace {

// Storms of one sign and of both, sparse and dense, in both editions, with powers and reaches of
// all sizes; without a threshold, too, with and without uncertainties from the first storm on.
TEST(Bound, SlowHoldsInEveryCell) {
  Random random(7);
  int ended = 0, tracked = 0;
  for (int repeat = 0; repeat < 450; ++repeat) {
    const bool all_count = repeat % 3 == 0;
    const std::int64_t cells = 1 + below(random, repeat % 5 == 0 ? 9000 : 700);
    const int edition = 1 + static_cast<int>(below(random, 2));
    const int quarters = 1 + static_cast<int>(below(random, 16));
    // The threshold is the share of energy 100 at some distance.
    const double n = 1 + static_cast<double>(below(random, 1 + 2 * cells));
    const double threshold =
        all_count ? 0 : (edition == 1 ? 0.1 : 1e5) / std::pow(n, quarters / 4.0);
    BoundedLayer layer(cells, all_count && below(random, 2) == 0,
                       {static_cast<float>(threshold), edition, quarters});
    const bool both_signs = below(random, 3) == 0;
    const std::int64_t impacts =
        1 + below(random, std::array{1, 10, 400, 2000}[static_cast<std::size_t>(repeat % 4)]);
    for (int storm = 0; storm < 3; ++storm) {
      layer.apply(random_impacts(random, impacts, -cells / 2, 2 * cells - cells / 2, both_signs,
                                 all_count ? 1'000'000 : 400));
      ASSERT_LE(layer.used_bound(), 1)
          << cells << " cells, " << impacts << " impacts, edition " << edition << ", power "
          << quarters << "/4, T " << threshold << (both_signs ? ", both signs" : "");
      ended += layer.shares_end;
    }
    tracked += layer.layer.tracks_uncertainty();
  }
  EXPECT_GT(ended, 500);
  EXPECT_GT(tracked, 150);
  EXPECT_LT(tracked, 420);
}

/// How much of the bound is used up by storms, one after the other or as one.
double used_by(BoundedLayer& layer, std::vector<std::vector<Impact>> storms, bool in_one_storm) {
  if (in_one_storm) {
    storms[0].insert(storms[0].end(), storms[1].begin(), storms[1].end());
    storms.pop_back();
  }
  for (const std::vector<Impact>& storm : storms) layer.apply(storm);
  return layer.used_bound();
}

// An impact of 2^24 * 1.05, then thousands of energy 1 in the same cell: wherever the sum's
// mantissa is below 1.05, each share is less than half a unit in the last place and lost, each time
// as much as the bound says.
const std::vector<Impact> large{{500, 17'616'077}};

TEST(Bound, LostSharesUseItUp) {
  for (const bool tracked : {false, true}) {
    for (const bool in_one_storm : {false, true}) {
      // So many cells that the factor is enough, and energies of the same mantissa.
      BoundedLayer layer(tracked ? 1000 : 16'000, tracked);
      const std::vector<Impact> small(tracked ? 5000 : 990, {500, 1});
      const double used = used_by(layer, {large, small}, in_one_storm);
      EXPECT_EQ(layer.layer.tracks_uncertainty(), tracked);
      EXPECT_LE(used, 1);
      EXPECT_GE(used, 0.9);
    }
  }
}

// The same, but the thousands count up to 300 cells away, and more of them fall where they do not
// reach the others: the bound is made from those that a cell counts, and no impact of these can be
// left out.
TEST(Bound, LostSharesThatEndUseItUp) {
  std::vector<Impact> small(5000, {500, 1});
  small.insert(small.end(), 4000, {3000, 1});
  small.insert(small.end(), 4000, {5000, 1});
  for (const int edition : {1, 2}) {
    for (const bool in_one_storm : {false, true}) {
      const double energy_1 = edition == 1 ? 1e-3 : 1e3;
      BoundedLayer layer(6000, false,
                         {static_cast<float>(energy_1 / std::sqrt(300.5)), edition, 2});
      const double used = used_by(layer, {large, small}, in_one_storm);
      EXPECT_TRUE(layer.shares_end);
      EXPECT_LE(used, 1);
      EXPECT_GE(used, 0.8) << "edition " << edition << (in_one_storm ? ", one storm" : "");
    }
  }
}

TEST(Bound, OneImpactByHand) {
  constexpr double u = 0x1p-24;
  Reaches reaches(layer_rule({.threshold = 0}, 1000));
  ErrorBound bound(whole_layer(1000), {.threshold = 0}, reaches);
  const auto of_impact = [&](double number) {
    const DepositUncertainty of = bound.of_last_storm().of_deposits;
    return of.first - number * of.step;
  };
  // A share takes 7 roundings, an addition 1, the relaxation 3: 11 u and the fast method's error.
  ASSERT_TRUE(bound.add_storm({std::vector<Impact>(1, {7, 1})}, 0));
  EXPECT_NEAR(bound.factor(), 11 * u, 2e-5 * 11 * u + 0x1p-50);
  EXPECT_GE(bound.factor(), 11 * u);
  // Tracked: the impact's own 7 and its addition; the relaxation is in the growth's rounding.
  EXPECT_NEAR(of_impact(0), 8 * u, 2e-5 * 8 * u);
  EXPECT_GE(bound.of_last_storm().growth.rounding, 3 * u);
  // A second storm of 10: the old value sees 10 more additions, the first impact sees all 10, the
  // last one 1.
  ASSERT_TRUE(bound.add_storm({std::vector<Impact>(10, {7, 1})}, 0));
  EXPECT_NEAR(bound.factor(), 24 * u, 2e-5 * 24 * u + 0x1p-50);
  EXPECT_NEAR(bound.of_last_storm().growth.growth, 10 * u, 2e-5 * 10 * u);
  EXPECT_NEAR(of_impact(0), 17 * u, 2e-5 * 17 * u);
  EXPECT_NEAR(of_impact(9), 8 * u, 2e-5 * 8 * u);
}

TEST(Bound, HoldsNoMoreWhenRoundingsReachTheValue) {
  Reaches reaches(layer_rule({.threshold = 0}, 1000));
  ErrorBound bound(whole_layer(1000), {.threshold = 0}, reaches);
  const std::vector<Impact> many(8'000'000, {7, 1}), few(388'607, {7, 1});
  EXPECT_TRUE(bound.add_storm({many}, 0));
  EXPECT_FALSE(ErrorBound(bound).add_storm({many}, 0));
  EXPECT_FALSE(bound.add_storm({few}, 0));  // 2^23 with the roundings of a share and of relaxations
  EXPECT_STREQ(bound.why_none(),
               "the roundings of all impacts together are too large to prove anything");
}

}  // namespace
}  // namespace bombard::tests
