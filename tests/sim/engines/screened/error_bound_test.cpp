// The rule's layer and the fast one in every cell, storm by storm (docs/methods.md, The bound).

#include "sim/engines/screened/error_bound.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "sim/engines/screened/layer_screening.hpp"
#include "tests/random_storms.hpp"
#include "tests/sim/engines/against_oracle.hpp"

namespace bombard {
namespace {

/// A fast layer with its bound, treated storm by storm as the engine does, and the rule's.
class BoundedLayer {
 public:
  /// `tracked`: every cell has an uncertainty of its own from the beginning: the first storm is one
  /// of energy below 0, which hardly changes a cell.
  BoundedLayer(std::int64_t cells, bool tracked, const oracle::Rule& of_oracle)
      : made{cells, {}, of_oracle},
        rule(rule_of(made)),
        bound(whole_layer(cells)),
        layer(cells, rule.attenuation, rule.scale_in_double(cells), fast_error) {
    if (tracked) apply({{0, -1}});
  }

  void apply(const std::vector<Impact>& impacts) {
    made.storms.push_back({"", impacts});
    EXPECT_EQ(bound.add_storm({impacts}, layer.relative_error()), nullptr);
    if (bound.tracked_from()) layer.track_uncertainty(*bound.tracked_from());
    if (layer.tracks_uncertainty()) {
      layer.apply({impacts, bound.of_last_storm()});
    } else {
      layer.apply({impacts});
    }
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
  ErrorBound bound;
  cpu::ConvolvedLayer layer;
};

// Storms of one sign and of both, sparse and dense, in both editions, with and without
// uncertainties from the first storm on.
TEST(Bound, SlowHoldsInEveryCell) {
  Random random(7);
  int tracked = 0;
  for (int repeat = 0; repeat < 450; ++repeat) {
    const std::int64_t cells = 1 + below(random, repeat % 5 == 0 ? 9000 : 700);
    const int edition = 1 + static_cast<int>(below(random, 2));
    BoundedLayer layer(cells, below(random, 6) == 0, {0, edition});
    const bool both_signs = below(random, 3) == 0;
    const std::int64_t impacts =
        1 + below(random, std::array{1, 10, 400, 2000}[static_cast<std::size_t>(repeat % 4)]);
    for (int storm = 0; storm < 3; ++storm) {
      layer.apply(random_impacts(random, impacts, -cells / 2, 2 * cells - cells / 2, both_signs,
                                 repeat % 3 == 0 ? 1'000'000 : 400));
      ASSERT_LE(layer.used_bound(), 1) << cells << " cells, " << impacts << " impacts, edition "
                                       << edition << (both_signs ? ", both signs" : "");
    }
    tracked += layer.layer.tracks_uncertainty();
  }
  EXPECT_GT(tracked, 150);
  EXPECT_LT(tracked, 420);
}

// An impact of 2^24 * 1.05, then thousands of energy 1 in the same cell: wherever the sum's
// mantissa is below 1.05, each share is less than half a unit in the last place and lost, each time
// as much as the bound says.
TEST(Bound, LostSharesUseItUp) {
  struct Lost {
    const char* why;
    std::int64_t cells;
    bool tracked;
    std::vector<Impact> small;
  };
  for (const Lost& lost :
       {Lost{"every cell has its own bound", 1000, true, std::vector<Impact>(5000, {500, 1})},
        // And energies of the same mantissa.
        {"so many cells that the factor is enough", 16'000, false,
         std::vector<Impact>(990, {500, 1})}}) {
    for (const bool in_one_storm : {false, true}) {
      SCOPED_TRACE(testing::Message() << lost.why << (in_one_storm ? ", one storm" : ""));
      BoundedLayer layer(lost.cells, lost.tracked, {.threshold = 0});
      std::vector<Impact> storm{{500, 17'616'077}};
      if (!in_one_storm) layer.apply(std::exchange(storm, {}));
      storm.insert(storm.end(), lost.small.begin(), lost.small.end());
      layer.apply(storm);
      EXPECT_EQ(layer.layer.tracks_uncertainty(), lost.tracked);
      EXPECT_LE(layer.used_bound(), 1);
      EXPECT_GE(layer.used_bound(), 0.9);
    }
  }
}

TEST(Bound, OneImpactByHand) {
  constexpr double u = 0x1p-24;
  ErrorBound bound(whole_layer(1000));
  const auto of_impact = [&](double number) {
    const StormUncertainty of = bound.of_last_storm();
    return of.first - number * of.step;
  };
  // A share takes 7 roundings, an addition 1, the relaxation 3: 11 u and the fast method's error.
  ASSERT_EQ(bound.add_storm({std::vector<Impact>(1, {7, 1})}, 0), nullptr);
  // And the fast layer takes 8 of binary64; slack is for second orders.
  const auto factor = [](double roundings, double storms) {
    const double fast = 8 * 0x1p-53 * storms;
    return (std::expm1(roundings * u) + fast) / (1 - fast) * (1 + 1e-5);
  };
  EXPECT_DOUBLE_EQ(bound.factor(), factor(11, 1));
  // Tracked: the impact's own 7 and its addition; the relaxation is in `rounding`.
  EXPECT_NEAR(of_impact(0), 8 * u, 2e-5 * 8 * u);
  EXPECT_GE(bound.of_last_storm().rounding, 3 * u);
  // A second storm of 10: the old value sees 10 more additions, the first impact sees all 10, the
  // last one 1.
  ASSERT_EQ(bound.add_storm({std::vector<Impact>(10, {7, 1})}, 0), nullptr);
  EXPECT_DOUBLE_EQ(bound.factor(), factor(24, 2));
  EXPECT_NEAR(bound.of_last_storm().growth, 10 * u, 2e-5 * 10 * u);
  EXPECT_NEAR(of_impact(0), 17 * u, 2e-5 * 17 * u);
  EXPECT_NEAR(of_impact(9), 8 * u, 2e-5 * 8 * u);
}

TEST(Bound, HoldsNoMoreWhenRoundingsReachTheValue) {
  ErrorBound bound(whole_layer(1000));
  const std::vector<Impact> many(8'000'000, {7, 1}), few(388'607, {7, 1});
  constexpr const char* why =
      "the roundings of all impacts together are too large to prove anything";
  EXPECT_EQ(bound.add_storm({many}, 0), nullptr);
  EXPECT_STREQ(ErrorBound(bound).add_storm({many}, 0), why);
  // 2^23 with the roundings of a share and of relaxations
  EXPECT_STREQ(bound.add_storm({few}, 0), why);
}

}  // namespace
}  // namespace bombard
