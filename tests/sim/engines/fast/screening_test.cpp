#include "sim/engines/fast/screening.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "kernels/share/attenuation.hpp"
#include "sim/engines/fast/error_bound.hpp"
#include "tests/oracle.hpp"

namespace bombard {
namespace {

double of_impact(const ErrorBound& bound, double number) {
  return bound.of_impacts().first - number * bound.of_impacts().step;
}

/// A fast layer with its bound, storm by storm as the engine treats them.
class ScreenedLayer {
 public:
  ScreenedLayer(std::int64_t cells, bool tracked)
      : layer(cells, square_root_attenuation, 1000.0 / static_cast<double>(cells), 3e-8) {
    if (tracked) layer.track_uncertainty(0);
  }

  void apply(const oracle::Storm& storm) {
    const auto impacts = static_cast<std::int64_t>(storm.size());
    bound.add_storm(impacts, impacts, layer.relative_error());
    std::vector<Impact> deposits;
    for (const auto& impact : storm) deposits.push_back({impact.position, impact.energy});
    if (layer.tracks_uncertainty()) {
      layer.apply({deposits, {}, StormUncertainty{bound.of_impacts(), bound.growth()}});
    } else {
      layer.apply({deposits});
    }
  }

  LayerScreening screening() const {
    return {layer,
            layer.tracks_uncertainty() ? 0 : bound.factor(),
            bound.absolute(),
            {0, layer.cells()}};
  }

  cpu::ConvolvedLayer layer;
  ErrorBound bound;
};

oracle::Storm random_storm(std::mt19937_64& random, std::int64_t cells, std::int64_t impacts,
                           bool both_signs) {
  oracle::Storm storm;
  for (std::int64_t i = 0; i < impacts; ++i) {
    const auto position =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * cells)) - cells / 2;
    const int energy = 1 + static_cast<int>(random() % 1'000'000);
    storm.push_back({position, both_signs && random() % 2 == 0 ? -energy : energy});
  }
  return storm;
}

/// How much of the bound the rule's roundings use up at most, over all cells; above 1 it is no
/// bound.
double used_bound(const ScreenedLayer& screened, const std::vector<float>& rule) {
  const LayerScreening screening = screened.screening();
  double used = 0;
  for (std::int64_t k = 0; k < screened.layer.cells(); ++k) {
    const double value = screened.layer.value(k);
    const double bound = screening.upper(k) - value;
    const double off = std::fabs(rule[static_cast<std::size_t>(k)] - value);
    EXPECT_NEAR(screening.upper(k) - value, value - screening.lower(k), 1e-9 * std::fabs(value));
    if (off > 0) used = std::max(used, off / bound);
  }
  return used;
}

struct BoundCase {
  std::int64_t cells, impacts;
  bool tracked, both_signs;
};
std::string name_of(const testing::TestParamInfo<BoundCase>& info) {
  const BoundCase& c = info.param;
  return std::to_string(c.cells) + "Cells" + std::to_string(c.impacts) + "Impacts" +
         (c.tracked ? "Tracked" : "") + (c.both_signs ? "BothSigns" : "");
}
void PrintTo(const BoundCase& c, std::ostream* out) {
  *out << c.cells << " cells, " << c.impacts << " impacts";
}
class Bound : public testing::TestWithParam<BoundCase> {};

TEST_P(Bound, HoldsInEveryCell) {
  const auto& [cells, impacts, tracked, both_signs] = GetParam();
  std::mt19937_64 random(static_cast<std::uint64_t>(cells + impacts));
  double most = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    ScreenedLayer screened(cells, tracked);
    std::vector<oracle::Storm> storms;
    for (int storm = 0; storm < 4; ++storm) {
      storms.push_back(random_storm(random, cells, impacts, both_signs));
      screened.apply(storms.back());
      const double used = used_bound(screened, oracle::bombard(cells, storms).layer);
      EXPECT_LE(used, 1);
      most = std::max(most, used);
    }
  }
  // A single impact comes near the bound: a quarter of it would be found wrong here.
  if (impacts == 1) {
    EXPECT_GE(most, 0.25);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Storms, Bound,
    testing::Values(BoundCase{997, 1, false, false}, BoundCase{997, 1, true, false},
                    BoundCase{997, 1, true, true}, BoundCase{300, 40, false, false},
                    BoundCase{300, 40, true, false}, BoundCase{300, 40, true, true},
                    BoundCase{64, 3000, false, false}, BoundCase{64, 3000, true, false},
                    BoundCase{64, 3000, true, true}, BoundCase{3, 200, true, true},
                    BoundCase{1, 50, true, false}, BoundCase{20000, 7, false, false}),
    name_of);

// An impact of 2^24 * 1.05, then thousands of energy 1 in the same cell: wherever the sum's
// mantissa is below 1.05, each share is less than half a unit in the last place and lost, each time
// as much as the bound says.
TEST(Bound, LostSharesUseItUp) {
  const int large = 17'616'077;
  for (const bool tracked : {false, true}) {
    for (const bool in_one_storm : {false, true}) {
      std::vector<oracle::Storm> storms{{{500, large}}};
      oracle::Storm small(5000, {500, 1});
      if (in_one_storm) {
        storms[0].insert(storms[0].end(), small.begin(), small.end());
      } else {
        storms.push_back(small);
      }
      ScreenedLayer screened(1000, tracked);
      for (const oracle::Storm& storm : storms) screened.apply(storm);
      const double used = used_bound(screened, oracle::bombard(1000, storms).layer);
      EXPECT_LE(used, 1);
      EXPECT_GE(used, 0.9);
    }
  }
}

TEST(Bound, OneImpactByHand) {
  // A share takes 7 roundings, an addition 1, the relaxation 3: 11 u and the fast method's error.
  ErrorBound bound;
  bound.add_storm(1, 1, 0);
  EXPECT_NEAR(bound.factor(), 11 * 0x1p-24, 2e-5 * 11 * 0x1p-24 + 0x1p-50);
  EXPECT_GE(bound.factor(), 11 * 0x1p-24);
  // Tracked: the impact's own 7 and its addition; the relaxation is in growth().rounding.
  EXPECT_NEAR(of_impact(bound, 0), 8 * 0x1p-24, 2e-5 * 8 * 0x1p-24);
  EXPECT_GE(bound.growth().rounding, 3 * 0x1p-24);
  // A second storm of 10: the old value sees 10 more additions, the first impact sees all 10, the
  // last one 1.
  bound.add_storm(10, 10, 0);
  EXPECT_NEAR(bound.factor(), 24 * 0x1p-24, 2e-5 * 24 * 0x1p-24 + 0x1p-50);
  EXPECT_NEAR(bound.growth().growth, 10 * 0x1p-24, 2e-5 * 10 * 0x1p-24);
  EXPECT_NEAR(of_impact(bound, 0), 17 * 0x1p-24, 2e-5 * 17 * 0x1p-24);
  EXPECT_NEAR(of_impact(bound, 9), 8 * 0x1p-24, 2e-5 * 8 * 0x1p-24);
}

TEST(Bound, HoldsNoMoreWhenRoundingsReachTheValue) {
  ErrorBound bound;
  bound.add_storm(8'000'000, 8'000'000, 0);
  EXPECT_TRUE(bound.holds());
  bound.add_storm(8'000'000, 8'000'000, 0);
  EXPECT_FALSE(bound.holds());
}

TEST(Screening, CandidatesAreThePeaksThatMayReach) {
  ScreenedLayer screened(1000, false);
  screened.apply({{200, 100}, {500, 300}, {800, 299}});
  const LayerScreening screening = screened.screening();
  EXPECT_EQ(screening.best_peak(), 500);
  EXPECT_EQ(screening.candidates(screening.lower(500), 1e30, 100),
            (std::vector<std::int64_t>{500}));
  EXPECT_EQ(screening.candidates(screening.lower(800), 1e30, 100),
            (std::vector<std::int64_t>{500, 800}));
  EXPECT_EQ(screening.candidates(screening.lower(800), screening.lower(500), 100),
            (std::vector<std::int64_t>{800}));
  EXPECT_EQ(screening.candidates(screening.lower(200), 1e30, 1), std::nullopt);
}

TEST(Screening, OfEqualPeaksTheFirst) {
  int ties = 0;
  for (std::int64_t cells = 300; cells < 3000; cells += 7) {
    ScreenedLayer screened(cells, false);
    const std::int64_t p = 20 + cells % 50;
    // The ends are higher, the right one often by a rounding: its cells are looked at first.
    screened.apply({{p, 300}, {cells - 1 - p, 300}, {0, 900}, {cells - 1, 900}});
    const auto peak = screened.screening().best_peak();
    ASSERT_TRUE(peak.has_value());
    const std::int64_t mirrored = cells - 1 - *peak;
    const bool tie = screened.layer.value(*peak) == screened.layer.value(mirrored);
    if (!tie || *peak == mirrored) continue;
    ++ties;
    EXPECT_LT(*peak, mirrored) << cells << " cells";
  }
  EXPECT_GE(ties, 20);
}

TEST(Screening, EqualNeighboursMayBothBePeaks) {
  ScreenedLayer screened(100, false);
  screened.apply({{50, 1000}, {51, 1000}});
  const LayerScreening screening = screened.screening();
  EXPECT_EQ(screening.candidates(screening.lower(50), 1e30, 100),
            (std::vector<std::int64_t>{50, 51}));
}

TEST(Screening, OnlyCellsOfItsOwnCount) {
  ScreenedLayer screened(1000, false);
  screened.apply({{200, 100}, {500, 300}, {800, 299}});
  const LayerScreening part(screened.layer, screened.bound.factor(), 0, {600, 1000});
  EXPECT_EQ(part.best_peak(), 800);
  const LayerScreening none(screened.layer, screened.bound.factor(), 0, {0, 2});
  EXPECT_FALSE(none.best_peak().has_value());
}

TEST(Screening, AnEndIsNeverAPeak) {
  ScreenedLayer screened(50, false);
  screened.apply({{0, 1000}, {49, 1000}});
  EXPECT_FALSE(screened.screening().best_peak().has_value());
  ScreenedLayer alone(1, false);
  alone.apply({{0, 5}});
  EXPECT_FALSE(alone.screening().best_peak().has_value());
  EXPECT_TRUE(alone.screening().candidates(0, 1e30, 10)->empty());
}

TEST(Screening, ReachedByFewGroups) {
  ScreenedLayer screened(100'000, false);
  screened.apply({{20'000, 100}, {70'000, 1000}});
  const LayerScreening screening = screened.screening();
  const double value = screening.reached_by(4);
  int reaching = 0;
  for (std::int64_t g = 0; g < screened.layer.groups(); ++g) {
    reaching += screened.layer.highest(g) * (1 + screened.bound.factor()) >= value;
  }
  EXPECT_GE(reaching, 4);
  EXPECT_LE(reaching, 6);
  EXPECT_EQ(screening.reached_by(screened.layer.groups()), 0);
}

}  // namespace
}  // namespace bombard
