// Impacts that count up to a reach only, in a layer on a GPU: what the processor's has not
// (tests/kernels/convolution/reaches_test.cpp has both).

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/convolution/cuda/direct_sums.hpp"
#include "kernels/device/device_memory.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/convolution/both_layers.hpp"

using namespace bombard;

namespace {

constexpr std::int64_t endless = std::int64_t{1} << 62;

/// The impacts of a storm, and the reach of each.
struct EndingStorm {
  std::vector<Impact> impacts;
  std::vector<std::int64_t> reaches;

  void add(const Impact& impact, std::int64_t reach) {
    impacts.push_back(impact);
    reaches.push_back(reach);
  }
};

/// On the device, where it waits for nothing.
struct StormThere {
  cuda::DeviceArray<Impact> impacts;
  cuda::DeviceArray<std::int64_t> reaches;
  cuda::DeviceArray<Screened> found{1};

  explicit StormThere(const EndingStorm& storm)
      : impacts(std::span<const Impact>(storm.impacts)),
        reaches(std::span<const std::int64_t>(storm.reaches)) {}
  void apply_to(cuda::ConvolvedLayer& layer) {
    layer.apply_directly(impacts.span(), reaches.span(), found.span().data());
  }
  Screened screened() const {
    Screened result;
    found.copy_to({&result, 1});
    return result;
  }
};

/// Reaches around the borders of warps, blocks and tiles, any others up to twice the layer, and
/// none.
std::int64_t random_reach(std::mt19937_64& random, std::int64_t cells) {
  constexpr std::int64_t borders[] = {0,   1,    2,    31,   32,   33,   64,      255,        256,
                                      257, 1023, 1024, 1025, 1791, 1792, endless, endless + 5};
  const auto choice = static_cast<std::size_t>(random() % (2 * std::size(borders)));
  if (choice < std::size(borders)) return borders[choice];
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * cells)) + 1;
}

EndingStorm random_storm(std::mt19937_64& random, std::int64_t count, std::int64_t from,
                         std::int64_t to, std::int64_t cells) {
  EndingStorm storm;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto energy = static_cast<std::int32_t>(random() % 1000) + 1;
    storm.add({from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from)),
               random() % 2 == 0 ? -energy : energy},
              random_reach(random, cells));
  }
  return storm;
}

class SmallDirectSumsOnGpu : public GpuTest {};
class DirectSumsOnGpu : public GpuTest {};

TEST_F(SmallDirectSumsOnGpu, ByHand) {
  // 7 cells, scale 1, energy 6 at cell 3 with a reach of 2: 6 there and 6/sqrt(2) beside it, then
  // means of three. At the layer's end, energy 3 counts in the last cell only.
  cuda::ConvolvedLayer layer({0, 7, 7}, {0, 7}, square_root_attenuation, 1, 1e-12);
  StormThere storm({{{3, 6}, {6, 3}, {5, 100}}, {2, 1, 0}});
  cuda::DeviceArray<Candidate> candidates(7);
  const double beside = 4.2426406871192851;
  const double high = (2 * beside + 6) / 3;
  const double next = (beside + 6) / 3;
  const double expected[] = {0, beside / 3, next, high, next, (beside + 3) / 3, 3};
  // Cells may be off by a number: with 0.70 the neighbours of the highest cannot reach it, with
  // 0.72 they can.
  for (const auto& [absolute, count] : {std::pair{0.70, 1U}, {0.72, 3U}}) {
    layer.clear();
    storm.apply_to(layer);
    layer.screen(0, candidates.span(), nullptr, absolute);
    std::vector<double> values(7);
    layer.values(values);
    for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(values[k], expected[k], 1e-14) << k;
    const Screened screened = storm.screened();
    EXPECT_EQ(screened.peak.index, 3);
    EXPECT_NEAR(screened.least, high - absolute, 1e-14);
    EXPECT_EQ(screened.count, count);
  }
}

TEST_F(SmallDirectSumsOnGpu, AbsolutePartOfTheBoundInAnotherTile) {
  // An energy e brings e and, on both sides, e/sqrt(2): the mean of the three is 0.8047 e. The
  // second one is 0.80 lower, and may be the higher one when both may be off by half as much.
  cuda::ConvolvedLayer layer({0, 6000, 6000}, {0, 6000}, square_root_attenuation, 1, 1e-12);
  StormThere storm({{{100, 1000}, {5000, 999}}, {2, 2}});
  cuda::DeviceArray<Candidate> candidates(7);
  for (const auto& [absolute, count] : {std::pair{0.39, 1U}, {0.41, 2U}}) {
    layer.clear();
    storm.apply_to(layer);
    layer.screen(0, candidates.span(), nullptr, absolute);
    EXPECT_EQ(storm.screened().peak.index, 100);
    EXPECT_EQ(storm.screened().count, count);
  }
}

TEST_F(SmallDirectSumsOnGpu, SortsByPositionAndKeepsTheOrderInACell) {
  std::mt19937_64 random(41);
  std::vector<Impact> impacts{{largest_position, 1}, {-largest_position, 2}};
  for (std::int32_t i = 0; i < 30'000; ++i) {
    impacts.push_back({static_cast<std::int64_t>(random() % 1000) - 500, i});
  }
  const cuda::DeviceArray<Impact> there{std::span<const Impact>(impacts)};
  cuda::DeviceArray<Impact> by_position(there.size());
  cuda::sort_by_position(there.span(), by_position.span());
  std::vector<Impact> sorted(impacts.size());
  by_position.copy_to(sorted);
  std::ranges::stable_sort(impacts, {}, &Impact::position);
  EXPECT_EQ(sorted, impacts);
}

TEST_F(SmallDirectSumsOnGpu, WhatCannotBeIsRefused) {
  cuda::ConvolvedLayer layer({0, 7, 7}, {0, 7}, square_root_attenuation, 1, 1e-12);
  EXPECT_THROW(StormThere({{{1, 1}, {2, 1}}, {1, 2, 3}}).apply_to(layer), std::invalid_argument);
  StormThere storm({{{1, 1}}, {1}});
  layer.gather(std::vector<cuda::StormImpacts>(1));
  EXPECT_THROW(storm.apply_to(layer), std::logic_error);
  layer.clear();
  EXPECT_NO_THROW(storm.apply_to(layer));
  layer.track_uncertainty(0);
  EXPECT_THROW(storm.apply_to(layer), std::logic_error);
}

TEST_F(DirectSumsOnGpu, ManyTiles) {
  // Blocks are larger on longer layers. Reaches from a cell to all of them; by position most
  // impacts reach no cell of a block.
  std::mt19937_64 random(31);
  for (const std::int64_t cells : {1'000'003, 5'000'011}) {
    BothLayers layers(cells, 1e-12, square_root_attenuation, 1,
                      1000.0 / static_cast<double>(cells));
    for (const auto& [count, longest] : {std::pair{50, std::int64_t{20'000}}, {20, cells}}) {
      const EndingStorm storm = random_storm(random, count, -1000, cells + 1000, longest);
      layers.apply(storm.impacts, storm.reaches);
    }
    EndingStorm in_order;
    for (std::int64_t i = 0; i < 3000; ++i) {
      in_order.add({i * (cells / 3000), i % 2 == 0 ? 7 : -9}, random_reach(random, 500));
    }
    in_order.reaches[1500] = cells;
    layers.apply(in_order.impacts, in_order.reaches);
  }
}

TEST_F(DirectSumsOnGpu, SameBitsAgain) {
  std::mt19937_64 random(37);
  const std::int64_t cells = 50'000;
  const EndingStorm storm = random_storm(random, 3000, -500, cells + 500, cells);
  cuda::ConvolvedLayer layer({0, cells, cells}, {0, cells}, square_root_attenuation, 1, 1e-12);
  std::vector<std::vector<double>> runs;
  for (int run = 0; run < 2; ++run) {
    layer.clear();
    StormThere(storm).apply_to(layer);
    layer.values(runs.emplace_back(static_cast<std::size_t>(cells)));
  }
  EXPECT_EQ(runs[0], runs[1]);
}

}  // namespace
