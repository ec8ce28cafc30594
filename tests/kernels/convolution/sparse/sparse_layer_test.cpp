// A layer that stores no cells, against sums in long double over all cells.

#include "kernels/convolution/sparse/sparse_layer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/base/stoppable_work.hpp"
#include "kernels/share/attenuation.hpp"
#include "tests/attenuations.hpp"
#include "tests/kernels/convolution/direct_layer.hpp"
#include "tests/random_storms.hpp"

namespace bombard::cpu {
namespace {

constexpr double wanted_error = 1e-12;
// Sums of an exponential of a short range become smaller than binary64 can represent.
constexpr double subnormal = 1e-300;

void expect_same(SparseLayer& layer, const DirectLayer& all) {
  for (std::int64_t k = 0; k < layer.cells(); ++k) {
    const auto expected = static_cast<double>(all.value[k]);
    const double off = layer.relative_error() * expected + subnormal;
    ASSERT_NEAR(layer.counted(k), expected, off) << "cell " << k;
    const double value = layer.value(k), error = layer.relative_error() * value + subnormal;
    ASSERT_GE(value, expected - error) << "cell " << k;
    ASSERT_LE(value, expected + error + layer.excess()) << "cell " << k;
  }
}

/// What SparseLayer promises about its groups: no cell exceeds the highest, and the exact layer
/// between them is convex or has no peak.
void expect_groups(SparseLayer& layer, const DirectLayer& all) {
  std::int64_t behind = 0;  // the group before
  for (std::int64_t g = 0; g < layer.groups(); ++g) {
    const CellRange cells = layer.group(g);
    const bool is_convex = layer.may_have_peaks({behind, cells.begin});
    for (std::int64_t k = behind; k < cells.begin; ++k) {
      const long double here = all.value[k], left = all.value[k - 1], right = all.value[k + 1];
      if (is_convex) {
        ASSERT_GE(left - 2 * here + right, -1e-16L * here) << "cell " << k;
      } else {
        ASSERT_GE(std::max(left, right), here * (1 - 1e-15L)) << "cell " << k;
      }
    }
    behind = cells.end;
    double highest = 0;
    for (std::int64_t k = cells.begin; k < cells.end; ++k) {
      highest = std::max(highest, layer.value(k));
    }
    ASSERT_LE(highest, layer.highest(g)) << "group " << g;
    // Only the chord of what is far is added.
    ASSERT_LE(layer.highest(g), std::max(highest, subnormal) * 1.2) << "group " << g;
  }
  ASSERT_EQ(behind, layer.cells());
}

/// Storms of all sizes, and some everywhere.
std::vector<std::int64_t> random_reaches(Random& random, std::size_t deposits) {
  std::vector<std::int64_t> reaches(deposits);
  for (std::int64_t& reach : reaches) {
    reach =
        1 + static_cast<std::int64_t>(std::exp2(static_cast<double>(below(random, 1200)) / 100));
    if (below(random, 8) == 0) reach = reaches_everywhere;
  }
  return reaches;
}

TEST(SparseLayer, RandomStormsAreThoseOfAllCells) {
  constexpr std::array<std::int64_t, 8> sizes{30, 64, 127, 129, 500, 1025, 2053, 5000};
  const std::vector<Attenuation> samples = sample_attenuations();
  Random random(21);
  int with_excess = 0;
  for (std::int64_t repeat = 0; repeat < 100; ++repeat) {
    const std::int64_t cells = sizes[repeat % std::ssize(sizes)];
    const bool dense = repeat % 3 == 0, cluster = repeat % 4 == 3, shares_end = repeat % 2 == 1;
    const std::int64_t storms = 1 + below(random, dense ? 4 : 12);
    const Attenuation attenuation =
        shares_end ? samples[repeat % std::ssize(samples)] : Attenuation{0.25 * (1 + repeat % 9)};
    SCOPED_TRACE(testing::Message()
                 << cells << " cells, " << storms << " storms, " << name_of(attenuation));
    SparseLayer layer(cells, attenuation, 0.5, wanted_error);
    DirectLayer counted(cells, attenuation, 0.5L), all = counted;
    for (std::int64_t storm = 0; storm < storms; ++storm) {
      const std::vector<Impact> deposits =
          random_impacts(random, below(random, dense ? 60 : 5), cluster ? cells / 2 : -cells,
                         cluster ? cells / 2 + 300 : 2 * cells, false, 1000);
      std::vector<std::int64_t> reaches;
      if (shares_end) reaches = random_reaches(random, deposits.size());
      layer.add_storm(deposits, reaches);
      counted.apply(deposits, reaches);
      all.apply(deposits);
      expect_same(layer, counted);
      expect_groups(layer, layer.excess() > 0 ? all : counted);
      if (HasFatalFailure()) return;
      with_excess += layer.excess() > 0;
    }
    layer.clear();
    EXPECT_EQ(layer.counted(cells / 2), 0);
    EXPECT_EQ(layer.neighbourhood_cells(1, false), 3 + 2 * 2);
  }
  EXPECT_GT(with_excess, 20);
}

// Relaxations of an impact on an end, and next to it, for so many storms that chunks grow: the end
// is never relaxed.
TEST(SparseLayer, EndsAreThoseOfAllCells) {
  constexpr std::int64_t cells = 700;
  for (const std::int64_t position : {0, 1, 2, 20, 679, 698, 699}) {
    SparseLayer layer(cells, square_root_attenuation, 1, wanted_error);
    DirectLayer all(cells);
    for (int storm = 0; storm < 80; ++storm) {
      std::vector<Impact> deposits;
      if (storm < 3) deposits.push_back({position, 1000});
      if (storm == 70) deposits = {{300, 50}, {310, 50}, {600, 40}, {position, 9}};
      layer.add_storm(deposits);
      all.apply(deposits);
    }
    expect_same(layer, all);
    expect_groups(layer, all);
  }
}

/// The relaxed sum where only sums of a few terms can be compared.
long double sum_at(const std::vector<Impact>& deposits, std::int64_t cell) {
  long double sum = 0;
  for (const Impact& deposit : deposits) {
    for (const std::int64_t k : {cell - 1, cell, cell + 1}) {
      sum +=
          deposit.energy / std::sqrt(std::fabs(static_cast<long double>(deposit.position) - k) + 1);
    }
  }
  return sum / 3;
}

TEST(SparseLayer, LongGapsAndFarPositions) {
  Random random(5);
  constexpr std::int64_t far = std::int64_t{1} << 61;
  for (const std::int64_t cells : {std::int64_t{1} << 24, std::int64_t{1} << 36,
                                   std::int64_t{1} << 50, std::int64_t{1} << 56}) {
    for (const std::int64_t count : {200, 3000}) {
      const std::int64_t right = count == 200 ? far : cells;
      std::vector<Impact> deposits{
          {right, 2'000'000'000}, {-far, 2'000'000'000}, {cells - 1, 7}, {0, 9}};
      while (static_cast<std::int64_t>(deposits.size()) < count) {
        // Distances of all sizes.
        const auto position = static_cast<std::int64_t>(std::exp2(
            std::log2(static_cast<double>(cells)) * 0x1p-64 * static_cast<double>(random())));
        deposits.push_back(
            {std::min(position, cells - 1), static_cast<std::int32_t>(1 + random() % 1000)});
      }
      SparseLayer layer(cells, square_root_attenuation, 1, wanted_error);
      layer.add_storm(deposits);
      EXPECT_LT(layer.relative_error(), 1e-10);
      for (std::int64_t cell = 1; cell < cells - 1; cell += 1 + cell / 4) {
        const auto expected = static_cast<double>(sum_at(deposits, cell));
        ASSERT_NEAR(layer.value(cell), expected, layer.relative_error() * expected)
            << cells << " cells, cell " << cell;
      }
    }
  }
}

// A large source and 4000 others on the same cell whose products with its share are half a unit in
// the last place of the sum, rounded up from a little less: each time, a sum of rounded products
// grows by a unit more than one with fused additions.
TEST(SparseLayer, NoCellExceedsTheHighestOfManyNearSources) {
  constexpr std::int32_t large = 1 << 30;
  constexpr std::int64_t sources = 4000, far = 1'000'000'000'000'000;
  SparseLayer one(1000, square_root_attenuation, 1, wanted_error);
  one.add_storm(std::vector<Impact>{{500, 1}});
  const double share = one.value(500), unit = std::exp2(std::ilogb(large * share) - 52);
  int found = 0;
  for (std::int32_t energy = 1 << 16; energy < 1 << 17; ++energy) {
    const double product = energy * share;
    const bool is_half_above_odd = std::fmod(product / unit, 2) == 1.5;
    if (!is_half_above_odd || std::fma(energy, share, -product) >= 0) continue;
    ++found;
    std::vector<Impact> deposits{{500, large}};
    std::vector<std::int64_t> reaches{far};
    for (std::int64_t i = 1; i <= sources; ++i) {  // with equal reaches they would be one source
      deposits.push_back({500, energy});
      reaches.push_back(far + i);
    }
    SparseLayer layer(1000, square_root_attenuation, 1, wanted_error);
    layer.add_storm(deposits, reaches);
    ASSERT_EQ(layer.groups(), 3);  // with the ends
    EXPECT_LE(layer.value(500), layer.highest(1)) << energy;
  }
  EXPECT_GE(found, 1);
}

// Two thousand impacts outside the layer reach into it from both sides, all equally far.
TEST(SparseLayer, SharesOneByOneStopWithinACell) {
  SparseLayer layer(20'000'000, {2}, 1, wanted_error);
  std::vector<Impact> deposits;
  for (std::int64_t i = 0; i < 2000; ++i) {
    deposits.push_back({i % 2 == 0 ? -10'000'000 - i : 30'000'000 + i, 100});
  }
  const std::vector<std::int64_t> reaches(deposits.size(), 25'000'000);
  struct Stopped {};
  const StoppableWork work([](double) { throw Stopped{}; });
  EXPECT_THROW(layer.add_storm(deposits, reaches), Stopped);
}

// If all shares come from one side, there are no peaks, and no cell is looked at.
TEST(SparseLayer, EndsOfReachesFromOneSideTakeNoTime) {
  SparseLayer layer(1'000'000'000, {2}, 1, wanted_error);
  std::vector<Impact> deposits;
  for (std::int64_t i = 0; i < 2000; ++i) deposits.push_back({-1000 - i, 100});
  layer.add_storm(deposits, std::vector<std::int64_t>(deposits.size(), 4000));
  EXPECT_LT(layer.shares_added(), 2'000'000);
  EXPECT_EQ(layer.excess(), 0);
}

}  // namespace
}  // namespace bombard::cpu
