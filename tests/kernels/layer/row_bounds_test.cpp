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

// Energies of 2^-10 and 1 at distances of powers of 4: roots, quotients and sums are exact, up to
// the units that are looked at. Cells 1000 .. 1010.
TEST(RowBounds, APeakNeedsSharesThatRiseAndOthersThatFall) {
  const LayerRule<GeneralLaw> rule{{2}, {1, 1}, 0};
  const CellRange cells{1000, 1010};
  const ScaledImpact left{-1'000'000, 1}, right{1'000'000, 1};
  // Between these, the share of each changes from cell to cell by less than a unit of their sum,
  // but of one impact alone from the row's one end to its other.
  const auto may_have_peak = [&](const Storms& storms) {
    return bounds_of(cells, rule, storms).may_have_peak();
  };
  EXPECT_FALSE(may_have_peak({{}}));
  EXPECT_FALSE(may_have_peak({{left, left}}));
  EXPECT_FALSE(may_have_peak({{right}, {right}}));
  EXPECT_TRUE(may_have_peak({{left, right}}));
  EXPECT_TRUE(may_have_peak({{right}, {left}}));
  // So far away that its share is the same number in all of these cells.
  EXPECT_FALSE(may_have_peak({{left, {std::int64_t{1} << 60, 1}}}));
  // It changes, by less than a unit of the sum that the left one leaves.
  const ScaledImpact weak{1'000'000, 1e-5F};
  EXPECT_TRUE(may_have_peak({{weak, left}}));
  EXPECT_FALSE(may_have_peak({{{-1'000'000, 1000}, weak}}));
  // In the row.
  EXPECT_TRUE(may_have_peak({{{1000, 1}}}));
  EXPECT_TRUE(std::isinf(bounds_of(cells, rule, {{{1010, 1}}}).most()));
}

// A share of 2.5 units: it adds 2 to an even sum and 3 to an odd one, but so it does in all cells.
// A little more or less in one of them, and it does not.
TEST(RowBounds, ATieIsNoNumberOfUnits) {
  const LayerRule<GeneralLaw> rule{{4}, {1, 1}, 0};  // e / n
  // 1 at the left, which no cell's share is smaller than by a unit: n = 2^40 and its neighbours.
  const ScaledImpact one{-(std::int64_t{1} << 40) + 1000, 0x1p40F};
  const auto tie_at = [&](float units) {
    // n is 2^20 in the last cell, and a little more in the others.
    const ScaledImpact tie{(1 << 20) + 1011 - 1, 0x1p20F * units * 0x1p-23F};
    return bounds_of({1000, 1010}, rule, {{one, {1000 - 100, 0x1p-10F}, tie}}).may_have_peak();
  };
  EXPECT_FALSE(tie_at(2.25F));
  EXPECT_TRUE(tie_at(2.5F));
}

/// How many rows of several cells have no peak for which reason.
struct Seen {
  int with_peaks = 0, without = 0, meeting = 0;
};

void compare(Random& random, Seen& seen) {
  const std::int64_t cells = 20 + below(random, 3000);
  const oracle::Rule rule{.threshold = below(random, 3) == 0 ? 0.02F : 0,
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
