#include "sim/engines/fast/screening.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/sim/engines/fast/bounded_layer.hpp"

namespace bombard::tests {
namespace {

TEST(Screening, CandidatesAreThePeaksThatMayReach) {
  BoundedLayer screened(1000);
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
    BoundedLayer screened(cells);
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

// Of equal energies, and of energies so near to each other that one cell lies below the other by
// more than one of their two bounds and less than both.
TEST(Screening, NeighboursMayBothBePeaks) {
  for (const int energy : {1'000'000, 999'962}) {
    BoundedLayer screened(100);
    screened.apply({{50, 1'000'000}, {51, energy}});
    const LayerScreening screening = screened.screening();
    EXPECT_EQ(screening.candidates(screening.lower(51), 1e30, 100),
              (std::vector<std::int64_t>{50, 51}));
    EXPECT_EQ(screening.upper(51) > screened.layer.value(50), energy == 1'000'000);
  }
}

TEST(Screening, OnlyCellsOfItsOwnCount) {
  BoundedLayer screened(1000);
  screened.apply({{200, 100}, {500, 300}, {800, 299}});
  const LayerScreening part(screened.layer, screened.bound.factor(), 0, {600, 1000});
  EXPECT_EQ(part.best_peak(), 800);
  const LayerScreening none(screened.layer, screened.bound.factor(), 0, {0, 2});
  EXPECT_FALSE(none.best_peak().has_value());
}

TEST(Screening, AnEndIsNeverAPeak) {
  BoundedLayer screened(50);
  screened.apply({{0, 1000}, {49, 1000}});
  EXPECT_FALSE(screened.screening().best_peak().has_value());
  BoundedLayer alone(1);
  alone.apply({{0, 5}});
  EXPECT_FALSE(alone.screening().best_peak().has_value());
  EXPECT_TRUE(alone.screening().candidates(0, 1e30, 10)->empty());
}

TEST(Screening, ReachedByFewGroups) {
  BoundedLayer screened(100'000);
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
}  // namespace bombard::tests
