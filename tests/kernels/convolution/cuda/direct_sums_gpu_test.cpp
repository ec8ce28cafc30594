// Impacts that count up to a reach only, in a layer on the device, against direct sums in long
// double.

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/convolution/direct_layer.hpp"

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

/// The same storms on the device and in long double.
class TwoLayers {
 public:
  TwoLayers(std::int64_t cells, const Attenuation& attenuation, double scale)
      : gpu(cells, {0, cells}, attenuation, scale, 1e-12), direct(cells, attenuation, scale) {}

  void apply_and_compare(const EndingStorm& storm) {
    StormThere(storm).apply_to(gpu);
    direct.apply(storm.impacts, storm.reaches);
    std::vector<double> values(direct.value.size());
    gpu.values(values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      // Tenfold what is needed for roundings of shares, so small that a cell more or less shows.
      ASSERT_NEAR(values[k], static_cast<double>(direct.value[k]),
                  static_cast<double>(5e-13L * direct.magnitude[k]))
          << "cell " << k << " of " << values.size();
    }
  }

  cuda::ConvolvedLayer gpu;
  DirectLayer direct;
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
  cuda::ConvolvedLayer layer(7, {0, 7}, square_root_attenuation, 1, 1e-12);
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
  cuda::ConvolvedLayer layer(6000, {0, 6000}, square_root_attenuation, 1, 1e-12);
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

TEST_F(SmallDirectSumsOnGpu, WhatCannotBeIsRefused) {
  cuda::ConvolvedLayer layer(7, {0, 7}, square_root_attenuation, 1, 1e-12);
  EXPECT_THROW(StormThere({{{1, 1}, {2, 1}}, {1, 2, 3}}).apply_to(layer), std::invalid_argument);
  StormThere storm({{{1, 1}}, {1}});
  layer.gather(std::vector<cuda::StormImpacts>(1));
  EXPECT_THROW(storm.apply_to(layer), std::logic_error);
  layer.clear();
  EXPECT_NO_THROW(storm.apply_to(layer));
  layer.track_uncertainty(0);
  EXPECT_THROW(storm.apply_to(layer), std::logic_error);
}

class DirectSumsSizesOnGpu : public GpuTest, public testing::WithParamInterface<std::int64_t> {};

TEST_P(DirectSumsSizesOnGpu, AgreeWithLongDouble) {
  const std::int64_t cells = GetParam();
  std::mt19937_64 random(static_cast<std::uint64_t>(cells));
  TwoLayers layers(cells, square_root_attenuation, 1000.0 / static_cast<double>(cells));
  layers.apply_and_compare(random_storm(random, 1, 0, cells, cells));
  layers.apply_and_compare({});
  layers.apply_and_compare(random_storm(random, 60, 0, cells, cells));
  layers.apply_and_compare(random_storm(random, 300, -2 * cells - 200, 3 * cells + 200, cells));
}
INSTANTIATE_TEST_SUITE_P(Awkward, DirectSumsSizesOnGpu,
                         testing::Values(1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 959, 960, 961, 1023,
                                         1025, 1727, 1728, 1729, 1791, 1792, 1793, 20011, 100003));

TEST_F(DirectSumsOnGpu, OtherAttenuations) {
  const std::int64_t cells = 6007;
  std::mt19937_64 random(5);
  for (const double power : {0.25, 1.0, 1.5, 1.7, 3.0, 8.0}) {
    TwoLayers layers(cells, {Attenuation::Kind::power, power}, 1);
    for (int i = 0; i < 2; ++i) {
      layers.apply_and_compare(random_storm(random, 40, -500, cells + 500, cells));
    }
  }
  TwoLayers layers(cells, {Attenuation::Kind::exponential, 300}, 1);
  layers.apply_and_compare(random_storm(random, 40, -500, cells + 500, cells));
}

/// Storms of both kinds in turns: each finds the layer as the other has left it.
TEST_F(DirectSumsOnGpu, BetweenStormsOfWhichEveryShareCounts) {
  const std::int64_t cells = 20'011;
  std::mt19937_64 random(7);
  TwoLayers layers(cells, square_root_attenuation, 1);
  for (int i = 0; i < 2; ++i) {
    layers.apply_and_compare(random_storm(random, 500, 0, cells, cells));
    const EndingStorm all = random_storm(random, 500, 0, cells, cells);
    const cuda::DeviceArray<Impact> there{std::span<const Impact>(all.impacts)};
    cuda::DeviceArray<Screened> found(1);
    layers.gpu.apply({there.span(), 0, cells - 1}, found.span().data());
    layers.direct.apply(all.impacts);
    std::vector<double> values(static_cast<std::size_t>(cells));
    layers.gpu.values(values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      ASSERT_NEAR(values[k], static_cast<double>(layers.direct.value[k]),
                  5e-12 * static_cast<double>(layers.direct.magnitude[k]))
          << k;
    }
    layers.gpu.clear();
    layers.direct = DirectLayer(cells, square_root_attenuation, 1);
  }
}

TEST_F(DirectSumsOnGpu, FarOutside) {
  const std::int64_t cells = 5000;
  const std::int64_t farthest = std::int64_t{1} << 61;
  for (const std::int64_t reached : {1, 2, 64, 65, 1000, 4900, 4999, 5000, 5001}) {
    for (const std::int64_t away : {std::int64_t{1}, std::int64_t{63}, std::int64_t{64},
                                    std::int64_t{500}, std::int64_t{1'000'000'000}, farthest}) {
      TwoLayers layers(cells, square_root_attenuation, 1);
      layers.apply_and_compare(
          {{{-away, 1000}, {cells - 1 + away, -777}}, {away + reached, away + reached}});
    }
  }
  TwoLayers layers(cells, square_root_attenuation, 1);
  layers.apply_and_compare({{{-10, 1000}, {cells + 10, 1000}, {-farthest, 1000}}, {10, 11, 77}});
}

TEST_F(DirectSumsOnGpu, ManyTiles) {
  // Blocks are larger on longer layers. Reaches from a cell to all of them.
  std::mt19937_64 random(31);
  for (const std::int64_t cells : {1'000'003, 5'000'011}) {
    TwoLayers layers(cells, square_root_attenuation, 1000.0 / static_cast<double>(cells));
    layers.apply_and_compare(random_storm(random, 50, -1000, cells + 1000, 20'000));
    layers.apply_and_compare(random_storm(random, 20, -1000, cells + 1000, cells));
  }
}

TEST_F(DirectSumsOnGpu, SameBitsAgain) {
  std::mt19937_64 random(37);
  const std::int64_t cells = 50'000;
  const EndingStorm storm = random_storm(random, 3000, -500, cells + 500, cells);
  cuda::ConvolvedLayer layer(cells, {0, cells}, square_root_attenuation, 1, 1e-12);
  std::vector<std::vector<double>> runs;
  for (int run = 0; run < 2; ++run) {
    layer.clear();
    StormThere(storm).apply_to(layer);
    layer.values(runs.emplace_back(static_cast<std::size_t>(cells)));
  }
  EXPECT_EQ(runs[0], runs[1]);
}

}  // namespace
