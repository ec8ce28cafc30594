// The rule's layer and the fast one in every cell, storm by storm (docs/methods.md, The bound).

#include "sim/engines/screened/error_bound.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "sim/engines/screened/screening.hpp"
#include "tests/random_storms.hpp"
#include "tests/sim/engines/against_oracle.hpp"

namespace bombard {
namespace {

/// A fast layer with its bound, treated storm by storm as the engine does, and the rule's.
class BoundedLayer {
 public:
  /// `tracked`: every cell has an uncertainty of its own from the first storm on.
  BoundedLayer(std::int64_t cells, bool tracked, const oracle::Rule& of_oracle)
      : made{cells, {}, of_oracle},
        rule(rule_of(made)),
        reaches(layer_rule(rule, cells)),
        // Tracked as for cells below 0; the layer itself begins with 0.
        bound(whole_layer(cells), rule, reaches, std::vector<float>(tracked ? 1 : 0, -1.0F)),
        layer({0, cells, cells}, rule.attenuation, rule.scale_in_double(cells), fast_error) {}

  void apply(const std::vector<Impact>& impacts) {
    made.storms.push_back({"", impacts});
    const std::vector<std::int64_t> of_impacts = reaches.of({impacts}, {0, layer.cells()});
    shares_end = !of_impacts.empty();
    EXPECT_TRUE(bound.add_storm({impacts}, layer.relative_error(), layer.cut_error()));
    if (bound.tracked_from()) layer.track_uncertainty(*bound.tracked_from());
    if (layer.tracks_uncertainty()) {
      layer.gather({impacts, of_impacts, bound.of_last_storm()});
    } else {
      layer.gather({impacts, of_impacts});
    }
    layer.apply_gathered();
  }

  /// How much of the bound the rule's roundings use up at most, over all cells; above 1 it is no
  /// bound.
  double used_bound() const {
    const std::vector<float> of_rule = by_the_rule(made).layer;
    const LayerScreening screening(layer, whole_layer(layer.cells()), bound.factor(),
                                   bound.absolute());
    double used = 0;
    for (std::int64_t k = 0; k < layer.cells(); ++k) {
      const double value = layer.value(k), above = screening.upper(k) - value;
      EXPECT_NEAR(above, value - screening.lower(k), 1e-9 * std::fabs(value));
      const double off = std::fabs(of_rule[static_cast<std::size_t>(k)] - value);
      if (off > 0) used = std::max(used, off / above);
    }
    return used;
  }

  Bombardment made;
  Rule rule;
  Reaches reaches;
  ErrorBound bound;
  cpu::ConvolvedLayer layer;
  bool shares_end = false;  ///< a share did not count in the last storm
};

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

// An impact of 2^24 * 1.05, then thousands of energy 1 in the same cell: wherever the sum's
// mantissa is below 1.05, each share is less than half a unit in the last place and lost, each time
// as much as the bound says.
TEST(Bound, LostSharesUseItUp) {
  std::vector<Impact> near_and_far(5000, {500, 1});
  near_and_far.insert(near_and_far.end(), 4000, {3000, 1});
  near_and_far.insert(near_and_far.end(), 4000, {5000, 1});
  struct Lost {
    const char* why;
    std::int64_t cells;
    bool tracked;
    double end;  ///< the distance where shares of energy 1 end, or infinity
    int edition;
    std::vector<Impact> small;
    double least_used;
  };
  constexpr double never = std::numeric_limits<double>::infinity();
  for (const Lost& lost :
       {Lost{"every cell has its own bound", 1000, true, never, 2,
             std::vector<Impact>(5000, {500, 1}), 0.9},
        // And energies of the same mantissa.
        {"so many cells that the factor is enough", 16'000, false, never, 2,
         std::vector<Impact>(990, {500, 1}), 0.9},
        // The bound is made from those that a cell counts, and no impact of these can be left out.
        {"more of them fall where they do not reach the others", 6000, false, 300.5, 1,
         near_and_far, 0.8},
        {"the same in the second edition", 6000, false, 300.5, 2, near_and_far, 0.8}}) {
    for (const bool in_one_storm : {false, true}) {
      SCOPED_TRACE(testing::Message() << lost.why << (in_one_storm ? ", one storm" : ""));
      const double energy_1 = lost.edition == 1 ? 1e-3 : 1e3;
      BoundedLayer layer(lost.cells, lost.tracked,
                         {static_cast<float>(energy_1 / std::sqrt(lost.end)), lost.edition});
      std::vector<Impact> storm{{500, 17'616'077}};
      if (!in_one_storm) layer.apply(std::exchange(storm, {}));
      storm.insert(storm.end(), lost.small.begin(), lost.small.end());
      layer.apply(storm);
      EXPECT_EQ(layer.shares_end, lost.end < never);
      EXPECT_EQ(layer.layer.tracks_uncertainty(), lost.tracked);
      EXPECT_LE(layer.used_bound(), 1);
      EXPECT_GE(layer.used_bound(), lost.least_used);
    }
  }
}

TEST(Bound, OneImpactByHand) {
  constexpr double u = 0x1p-24;
  Reaches reaches(layer_rule({.threshold = 0}, 1000));
  ErrorBound bound(whole_layer(1000), {.threshold = 0}, reaches);
  const auto of_impact = [&](double number) {
    const StormUncertainty of = bound.of_last_storm();
    return of.first - number * of.step;
  };
  // A share takes 7 roundings, an addition 1, the relaxation 3: 11 u and the fast method's error.
  ASSERT_TRUE(bound.add_storm({std::vector<Impact>(1, {7, 1})}, 0));
  EXPECT_NEAR(bound.factor(), 11 * u, 2e-5 * 11 * u + 0x1p-50);
  EXPECT_GE(bound.factor(), 11 * u);
  // Tracked: the impact's own 7 and its addition; the relaxation is in `rounding`.
  EXPECT_NEAR(of_impact(0), 8 * u, 2e-5 * 8 * u);
  EXPECT_GE(bound.of_last_storm().rounding, 3 * u);
  // A second storm of 10: the old value sees 10 more additions, the first impact sees all 10, the
  // last one 1.
  ASSERT_TRUE(bound.add_storm({std::vector<Impact>(10, {7, 1})}, 0));
  EXPECT_NEAR(bound.factor(), 24 * u, 2e-5 * 24 * u + 0x1p-50);
  EXPECT_NEAR(bound.of_last_storm().growth, 10 * u, 2e-5 * 10 * u);
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
}  // namespace bombard
