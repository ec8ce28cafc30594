// What RowBounds says of a row of cells must hold for the rule's layer, which the oracle computes
// cell by cell.

#include "kernels/layer/row_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/oracle.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

using Storms = std::vector<std::vector<ScaledImpact>>;

/// The bounds on these cells, with a cell more on either side, after the storms.
cpu::RowBounds bounds_of(const CellRange& cells, const LayerRule<GeneralLaw>& rule,
                         const Storms& storms) {
  const std::int64_t margin = std::ssize(storms) + 1;
  cpu::RowBounds row({cells.begin - margin, cells.end + margin});
  for (const std::vector<ScaledImpact>& impacts : storms) {
    row.add(rule, impacts);
    row.relax();
  }
  return row;
}

// Cells 1000 .. 1009.
TEST(RowBounds, APeakNeedsSharesThatRiseAndOthersThatFall) {
  const LayerRule<GeneralLaw> rule{{2}, {1, 1}, 0};
  const auto may_have_peak = [&](const Storms& storms) {
    return bounds_of({1000, 1010}, rule, storms).may_have_peak();
  };
  // The shares of these change from the first cell to the last.
  const ScaledImpact left{-1'000'000, 1}, right{1'000'000, 1};
  EXPECT_FALSE(may_have_peak({{}}));
  EXPECT_FALSE(may_have_peak({{left, left}}));
  EXPECT_FALSE(may_have_peak({{right}, {right}}));
  EXPECT_TRUE(may_have_peak({{left, right}}));
  EXPECT_TRUE(may_have_peak({{right}, {left}}));
  // It is so far away that its share is the same in all of these cells.
  const ScaledImpact far{std::int64_t{1} << 60, 1};
  EXPECT_FALSE(may_have_peak({{far, left}}));
  EXPECT_FALSE(may_have_peak({{left, far}}));
  // Its share changes by less than a unit of the sum that a strong one leaves.
  const ScaledImpact weak{1'000'000, 1e-5F}, strong{-1'000'000, 1000};
  EXPECT_TRUE(may_have_peak({{weak, left}}));
  EXPECT_FALSE(may_have_peak({{strong, weak}}));
  EXPECT_FALSE(may_have_peak({{strong}, {weak}}));
  // In the row.
  EXPECT_TRUE(may_have_peak({{{1009, 1}}}));
  EXPECT_TRUE(std::isinf(bounds_of({1000, 1010}, rule, {{{1009, 1}}}).most()));
}

// A number of units, or nearly, on a sum that is the same in all cells; it changes along the row by
// a hundredth of a unit. With e / n all these shares are exact in the cell that is named.
TEST(RowBounds, NumbersOfUnitsAddTheSameOnlyInOneBinadeAndIfTheyAreNoTies) {
  const LayerRule<GeneralLaw> rule{{4}, {1, 1}, 0};
  // The share of `units` units of 2^-23 at the last cell looked at, 1011, or at the first one, 998.
  const auto from_right = [](float units, std::int64_t cell) {
    constexpr std::int64_t n = 1 << 20;
    return ScaledImpact{cell + n - 1, static_cast<float>(n) * units * 0x1p-23F};
  };
  const auto may_have_peak = [&](float sum, const ScaledImpact& right) {
    const ScaledImpact same{-(std::int64_t{1} << 60), 0x1p60F * sum}, falls{0, 0x1p-60F};
    return bounds_of({1000, 1010}, rule, {{falls, same, right}}).may_have_peak();
  };
  EXPECT_FALSE(may_have_peak(1, from_right(1000.25F, 1011)));
  EXPECT_FALSE(may_have_peak(1, from_right(1000.25F, 998)));
  EXPECT_TRUE(may_have_peak(1, from_right(1000.5F, 1011)));
  EXPECT_TRUE(may_have_peak(1, from_right(1001.5F, 998)));
  EXPECT_TRUE(may_have_peak(1, from_right(1000.502F, 1011)));
  // From the binade below, or to the one above.
  EXPECT_TRUE(may_have_peak(1 - 0x1p-20F, from_right(1000.25F, 1011)));
  EXPECT_TRUE(may_have_peak(2 - 0x1p-20F, from_right(1000.25F, 1011)));
}

// It ends between two cells, and is the same number of units of the sum as long as it counts.
TEST(RowBounds, SharesThatEndMayFall) {
  const ScaledImpact same{-(std::int64_t{1} << 60), 0x1p60F}, rises{1'000'000, 1e5F};
  const ScaledImpact ends{-1'000'000, 0x1.001p-3F};  // a little more than a unit of `same`
  LayerRule<GeneralLaw> rule{{4}, {1, 1}, 0};        // e / n
  EXPECT_FALSE(bounds_of({1000, 1010}, rule, {{same, ends, rises}}).may_have_peak());
  rule.smallest = rule.share(ends.energy, distance(ends.position, 1005));
  EXPECT_TRUE(bounds_of({1000, 1010}, rule, {{same, ends, rises}}).may_have_peak());
}

/// How many rows of several cells have no peak for which reason.
struct Seen {
  int with_peaks = 0, without = 0, meeting = 0;
};

void compare(Random& random, Seen& seen) {
  const std::int64_t cells = 20 + below(random, 3000);
  // Reaches end in the layer, outside it, or nowhere.
  const float threshold = std::ldexp(1.0F, static_cast<int>(10 - below(random, 40)));
  const oracle::Rule rule{.threshold = below(random, 2) == 0 ? threshold : 0,
                          .edition = static_cast<int>(1 + below(random, 2)),
                          .quarters = static_cast<int>(1 + below(random, 9))};
  const LayerRule<GeneralLaw> layer_rule{
      {rule.quarters},
      energy_scale({.edition = rule.edition == 1 ? Edition::first : Edition::second}, cells),
      rule.edition == 1 ? rule.threshold : rule.threshold / static_cast<float>(cells)};
  std::vector<oracle::Storm> storms(static_cast<std::size_t>(1 + below(random, 4)));
  Storms scaled;
  const bool some_inside = below(random, 4) == 0;
  for (oracle::Storm& storm : storms) {
    std::vector<ScaledImpact>& impacts = scaled.emplace_back();
    // More than are taken together, or few.
    const std::int64_t count = below(random, 5) == 0 ? below(random, 600) : below(random, 8);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t away = below(random, std::int64_t{1} << below(random, 40));
      const bool inside = some_inside && below(random, count) == 0;
      const std::int64_t position = inside                  ? below(random, cells)
                                    : below(random, 2) == 0 ? -1 - away
                                                            : cells + away;
      const auto energy = static_cast<int>(1 + below(random, 1 << below(random, 20)));
      storm.push_back({position, energy});
      impacts.push_back({position, layer_rule.energy(energy)});
    }
  }
  const std::vector<float> layer = oracle::bombard(cells, storms, rule).layer;
  const std::int64_t end = std::ssize(storms) + 1;
  if (cells <= 2 * end) return;
  for (int i = 0; i < 40; ++i) {
    const std::int64_t begin = end + below(random, cells - 2 * end);
    const std::int64_t most = below(random, 2) == 0 ? 8 : cells;
    const CellRange row{begin, begin + 1 + below(random, std::min(most, cells - end - begin))};
    const cpu::RowBounds bounds = bounds_of(row, layer_rule, scaled);
    bool has_peak = false, rises = false, falls = false;
    for (std::int64_t k = row.begin - 1; k <= row.end; ++k) {
      const auto here = layer.begin() + k;
      ASSERT_LE(*here, bounds.most());
      if (!row.contains(k)) continue;
      rises = rises || here[0] < here[1];
      falls = falls || here[0] > here[1];
      has_peak = has_peak || (here[0] > here[-1] && here[0] > here[1]);
    }
    ASSERT_TRUE(bounds.may_have_peak() || !has_peak) << row.begin << " .. " << row.end;
    if (bounds.may_have_peak()) {
      seen.with_peaks += has_peak;
    } else if (row.count() > 1) {
      ++seen.without;
      seen.meeting += rises || falls;
    }
  }
}

TEST(RowBounds, HoldForTheRulesLayer) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    compare(random, seen);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(seen.with_peaks, 10);
  EXPECT_GT(seen.without, 100);
  EXPECT_GT(seen.meeting, 10);
}

}  // namespace
}  // namespace bombard
