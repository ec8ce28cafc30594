#include "tools/page/envelope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace bombard::tools {
namespace {

std::vector<double> random_layer(std::int64_t cells) {
  std::mt19937 random(static_cast<unsigned>(cells));
  std::normal_distribution<float> value(0, 1000);
  std::vector<double> layer(static_cast<std::size_t>(cells));
  for (double& cell : layer) cell = value(random);
  return layer;
}

/// Bin by bin, in the plainest way; also checks that the runs divide the layer.
template <class T>
void expect_extremes(const std::vector<T>& layer, const Envelope& found) {
  std::size_t cell = 0;
  std::size_t bin = 0;
  for (const BinRun& run : found.runs) {
    ASSERT_EQ(run.cells.begin, static_cast<std::int64_t>(cell));
    const auto end = static_cast<std::size_t>(run.cells.end);
    while (cell < end) {
      T lowest = layer[cell];
      T highest = layer[cell];
      for (std::int64_t i = 0; i < run.width && cell < end; ++i, ++cell) {
        lowest = std::min(lowest, layer[cell]);
        highest = std::max(highest, layer[cell]);
      }
      ASSERT_LT(bin, found.lowest.size());
      EXPECT_EQ(found.lowest[bin], static_cast<float>(lowest)) << bin;
      EXPECT_EQ(found.highest[bin], static_cast<float>(highest)) << bin;
      ++bin;
    }
  }
  EXPECT_EQ(cell, layer.size());
  EXPECT_EQ(bin, found.lowest.size());
  EXPECT_EQ(bin, found.highest.size());
  EXPECT_EQ(static_cast<std::int64_t>(bin), bin_count(found.runs));
}

TEST(Envelope, HasTheExtremesOfEachBin) {
  for (const std::int64_t cells : {1, 2, 3, 31, 32, 33, 1023, 1024, 1025, 99'991}) {
    const std::vector<double> layer = random_layer(cells);
    const std::vector<float> rounded(layer.begin(), layer.end());
    for (const std::int64_t most_bins : {1, 7, 64, 1000}) {
      for (const std::int64_t centre : {std::int64_t{0}, cells / 3, cells - 1}) {
        expect_extremes(layer, envelope(std::span(layer), plan_bins(cells, most_bins, centre)));
        expect_extremes(rounded, envelope(std::span(rounded), plan_bins(cells, most_bins, centre)));
      }
      expect_extremes(layer, envelope(std::span(layer), plan_bins(cells, most_bins, {})));
    }
  }
}

TEST(Envelope, HasSingleCellsAroundTheCentre) {
  for (const std::int64_t cells : {std::int64_t{1'000'000}, std::int64_t{1} << 40}) {
    for (const std::int64_t centre : {std::int64_t{0}, std::int64_t{123'456}, cells - 1}) {
      const std::vector<BinRun> runs = plan_bins(cells, 1000, centre);
      const CellRange near = CellRange{centre - 32, centre + 32}.common({0, cells});
      EXPECT_TRUE(std::ranges::any_of(
          runs, [&](const BinRun& run) { return run.width == 1 && run.cells.contains(near); }));
      EXPECT_LE(bin_count(runs), 1000 + 11 * 520);
      for (std::size_t i = 1; i < runs.size(); ++i) {
        const std::int64_t wider = std::max(runs[i - 1].width, runs[i].width);
        EXPECT_LE(wider, 8 * std::min(runs[i - 1].width, runs[i].width));
      }
    }
  }
}

TEST(Envelope, LeavesTheOtherBinsAloneWhenOneHoldsNaN) {
  std::vector<float> layer(100, 2.0F);
  layer[5] = std::numeric_limits<float>::quiet_NaN();
  layer[60] = std::numeric_limits<float>::infinity();
  const Envelope found = envelope(std::span<const float>(layer), plan_bins(100, 50, {}));
  EXPECT_EQ(found.highest[0], 2);
  EXPECT_EQ(found.highest[30], std::numeric_limits<float>::infinity());
  EXPECT_EQ(found.lowest[30], 2);
}

}  // namespace
}  // namespace bombard::tools
