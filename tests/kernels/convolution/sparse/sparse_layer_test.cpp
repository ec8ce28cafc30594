// A layer that stores no cells, against sums in long double over all cells.

#include "kernels/convolution/sparse/sparse_layer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/share/attenuation.hpp"
#include "tests/attenuations.hpp"
#include "tests/kernels/convolution/direct_layer.hpp"
#include "tests/random_storms.hpp"

namespace bombard::cpu {
namespace {

constexpr double wanted_error = 1e-12;
// Sums of an exponential of a short range become smaller than binary64 can represent.
constexpr double subnormal = 1e-300;

void expect_same(const SparseLayer& layer, const DirectLayer& all) {
  for (std::int64_t k = 0; k < layer.cells(); ++k) {
    const auto expected = static_cast<double>(all.value[k]);
    ASSERT_NEAR(layer.value(k), expected, layer.relative_error() * expected + subnormal)
        << "cell " << k;
  }
}

/// What SparseLayer promises about its groups: no cell exceeds the highest, and the exact layer
/// between them is convex or has no peak.
void expect_groups(const SparseLayer& layer, const DirectLayer& all) {
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

TEST(SparseLayer, RandomStormsAreThoseOfAllCells) {
  constexpr std::array<std::int64_t, 8> sizes{30, 64, 127, 129, 500, 1025, 2053, 5000};
  const std::vector<Attenuation> samples = sample_attenuations();
  Random random(21);
  for (std::int64_t repeat = 0; repeat < 100; ++repeat) {
    const std::int64_t cells = sizes[repeat % std::ssize(sizes)];
    const bool dense = repeat % 3 == 0, cluster = repeat % 4 == 3;
    const std::int64_t storms = 1 + below(random, dense ? 4 : 12);
    const Attenuation attenuation = repeat % 2 == 1 ? samples[repeat % std::ssize(samples)]
                                                    : Attenuation{0.25 * (1 + repeat % 9)};
    SCOPED_TRACE(testing::Message()
                 << cells << " cells, " << storms << " storms, " << name_of(attenuation));
    SparseLayer layer(cells, attenuation, 0.5, wanted_error);
    DirectLayer all(cells, attenuation, 0.5L);
    for (std::int64_t storm = 0; storm < storms; ++storm) {
      const std::vector<Impact> deposits =
          random_impacts(random, below(random, dense ? 60 : 5), cluster ? cells / 2 : -cells,
                         cluster ? cells / 2 + 300 : 2 * cells, false, 1000);
      layer.add_storm(deposits);
      all.apply(deposits);
      expect_same(layer, all);
      expect_groups(layer, all);
      if (HasFatalFailure()) return;
    }
    layer.clear();
    EXPECT_EQ(layer.value(cells / 2), 0);
    EXPECT_EQ(layer.neighbourhood_cells(1), 3 + 2 * 2);
  }
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

// If all shares come from one side, there are no peaks, and no cell is looked at.
TEST(SparseLayer, SharesFromOneSideMakeNoPeak) {
  for (const std::int64_t beside : {-1000, 1'000'000'000}) {
    SparseLayer layer(1'000'000'000, {2}, 1, wanted_error);
    std::vector<Impact> deposits;
    for (std::int64_t i = 0; i < 2000; ++i) deposits.push_back({beside + i % 1000, 100});
    layer.add_storm(deposits);
    ASSERT_EQ(layer.groups(), 2);
    const CellRange between{layer.group(0).end, layer.group(1).begin};
    EXPECT_FALSE(layer.may_have_peaks(between));
    layer.add_storm(std::vector<Impact>{{beside < 0 ? 1'000'000'000 : -1, 1}});
    EXPECT_TRUE(layer.may_have_peaks({layer.group(0).end, layer.group(1).begin}));
  }
}

}  // namespace
}  // namespace bombard::cpu
