// The bound where shares end (docs/methods.md, The bound): the rule's layer and the fast one in
// every cell, treated storm by storm as the engine does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "sim/engines/fast/error_bound.hpp"
#include "sim/engines/fast/screening.hpp"
#include "tests/oracle.hpp"

namespace bombard {
namespace {

struct Member {
  int edition, quarters;
  float threshold;
};

/// A fast layer of a member of the family, with its bound.
class FamilyLayer {
 public:
  FamilyLayer(std::int64_t cells, const Member& member)
      : cells_(cells),
        oracle_rule_{member.threshold, member.edition, member.quarters},
        rule_{member.edition == 1 ? Edition::first : Edition::second,
              {.parameter = member.quarters / 4.0},
              member.threshold},
        reaches_(layer_rule(rule_, cells)),
        bounds_(whole_layer(cells), rule_, reaches_),
        layer_(cells, rule_.attenuation, rule_.scale_in_double(cells), fast_error) {}

  void apply(const oracle::Storm& storm) {
    storms_.push_back(storm);
    std::vector<Impact> impacts;
    std::vector<std::int64_t> reaches;
    for (const oracle::Impact& impact : storm) {
      impacts.push_back({impact.position, impact.energy});
      reaches.push_back(reaches_.of(impact.energy));
    }
    const auto bound = bounds_.after({impacts}, layer_.relative_error(), layer_.cut_error());
    ASSERT_TRUE(bound);
    shares_end_ = bound->shares_end;
    if (!bound->shares_end) reaches.clear();
    if (bound->tracked_from) layer_.track_uncertainty(*bound->tracked_from);
    if (layer_.tracks_uncertainty()) {
      layer_.apply({impacts, reaches, StormUncertainty{bound->uncertainty, bound->growth}});
    } else {
      layer_.apply({impacts, reaches});
    }
  }

  /// Whether a share did not count in the last storm.
  bool shares_end() const { return shares_end_; }
  bool tracks_uncertainty() const { return layer_.tracks_uncertainty(); }

  /// How much of the bound the rule's roundings use up at most, over all cells; above 1 it is none.
  double used_bound() const {
    const std::vector<float> rule = oracle::bombard(cells_, storms_, oracle_rule_).layer;
    const LayerScreening screening(layer_, bounds_.factor(), bounds_.absolute(), {0, cells_});
    double used = 0;
    for (std::int64_t k = 0; k < cells_; ++k) {
      const double value = layer_.value(k);
      const double off = std::fabs(rule[static_cast<std::size_t>(k)] - value);
      if (off > 0) used = std::max(used, off / (screening.upper(k) - value));
    }
    return used;
  }

 private:
  std::int64_t cells_;
  oracle::Rule oracle_rule_;
  Rule rule_;
  Reaches reaches_;
  StormBounds bounds_;
  cpu::ConvolvedLayer layer_;
  std::vector<oracle::Storm> storms_;
  bool shares_end_ = false;
};

// Storms of one sign and of both, sparse and dense, in both editions, with powers and reaches of
// all sizes.
TEST(BoundOfEndingShares, HoldsInEveryCell) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::int64_t>(random() % bound);
  };
  int ended = 0, tracked = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const std::int64_t cells = 1 + below(repeat % 5 == 0 ? 9000 : 700);
    const int edition = 1 + static_cast<int>(below(2));
    const int quarters = 1 + static_cast<int>(below(16));
    // The threshold is the share of energy 100 at some distance.
    const double n = 1 + static_cast<double>(below(1 + static_cast<std::uint64_t>(2 * cells)));
    const double threshold = (edition == 1 ? 0.1 : 1e5) / std::pow(n, quarters / 4.0);
    FamilyLayer layer(cells, {edition, quarters, static_cast<float>(threshold)});
    const bool both_signs = below(3) == 0;
    const std::int64_t impacts = 1 + below(below(2) == 0 ? 10 : 400);
    for (int storm = 0; storm < 3; ++storm) {
      oracle::Storm impacts_of_storm;
      for (std::int64_t i = 0; i < impacts; ++i) {
        const int energy = 1 + static_cast<int>(below(400));
        impacts_of_storm.push_back({below(static_cast<std::uint64_t>(2 * cells)) - cells / 2,
                                    both_signs && below(2) == 0 ? -energy : energy});
      }
      layer.apply(impacts_of_storm);
      ASSERT_LE(layer.used_bound(), 1)
          << cells << " cells, " << impacts << " impacts, edition " << edition << ", power "
          << quarters << "/4, T " << threshold << (both_signs ? ", both signs" : "");
      ended += layer.shares_end();
    }
    tracked += layer.tracks_uncertainty();
  }
  EXPECT_GT(ended, 500);
  EXPECT_GT(tracked, 100);
  EXPECT_LT(tracked, 280);
}

// As the test Bound.LostSharesUseItUp, but the thousands of energy 1 count up to 300 cells away,
// and more of them fall where they do not reach the others: the bound is made from those that a
// cell counts, and no impact of these can be left out.
TEST(BoundOfEndingShares, LostSharesUseItUp) {
  const int large = 17'616'077;
  for (const int edition : {1, 2}) {
    for (const bool in_one_storm : {false, true}) {
      const double energy_1 = edition == 1 ? 1e-3 : 1e3;
      FamilyLayer layer(6000, {edition, 2, static_cast<float>(energy_1 / std::sqrt(300.5))});
      oracle::Storm small(5000, {500, 1});
      small.insert(small.end(), 4000, {3000, 1});
      small.insert(small.end(), 4000, {5000, 1});
      oracle::Storm first{{500, large}};
      if (in_one_storm) {
        first.insert(first.end(), small.begin(), small.end());
        layer.apply(first);
      } else {
        layer.apply(first);
        layer.apply(small);
      }
      EXPECT_TRUE(layer.shares_end());
      const double used = layer.used_bound();
      EXPECT_LE(used, 1);
      EXPECT_GE(used, 0.8) << "edition " << edition << (in_one_storm ? ", one storm" : "");
    }
  }
}

// Where a source ends, the fast layer keeps what the roundings of its states leave: cells that no
// impact reaches are not exactly 0, and the bound says so.
TEST(BoundOfEndingShares, CoversWhatStatesLeaveBehind) {
  FamilyLayer layer(20'000, {1, 2, 0.001F});
  oracle::Storm storm;
  for (int i = 0; i < 3000; ++i) storm.push_back({2000 + i % 700, 40 + i % 20});
  layer.apply(storm);
  EXPECT_TRUE(layer.shares_end());
  EXPECT_LE(layer.used_bound(), 1);
}

}  // namespace
}  // namespace bombard
