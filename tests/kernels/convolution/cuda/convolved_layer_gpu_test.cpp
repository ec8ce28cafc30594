// What only a GPU's convolution has (tests/kernels/convolution/convolved_layer_test.cpp tests
// both).

#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/convolution/both_layers.hpp"
#include "tests/random_storms.hpp"

using namespace bombard;

namespace {

class SmallConvolutionOnGpu : public GpuTest {};
class ConvolutionOnGpu : public GpuTest {};

TEST_F(SmallConvolutionOnGpu, ByHand) {
  // 7 cells, scale 1, energy 6 at cell 3: 6 there and 6/sqrt(2) beside it, then means of three.
  cuda::ConvolvedLayer layer(7, {0, 7}, square_root_attenuation, 1, 1e-12);
  const std::vector<Impact> deposits{{3, 6}};
  const cuda::DeviceArray<Impact> there{std::span<const Impact>(deposits)};
  cuda::DeviceArray<Screened> found(1);
  cuda::DeviceArray<Candidate> candidates(2);
  layer.apply({there.span(), 3, 3}, found.span().data());
  layer.screen(0.01, 0, candidates.span());
  const double peak = (2 * 4.2426406871192851 + 6) / 3;
  Screened screened;
  found.copy_to({&screened, 1});
  EXPECT_EQ(screened.peak.index, 3);
  EXPECT_NEAR(screened.peak.value, peak, 1e-11);
  EXPECT_NEAR(screened.least, 0.99 * peak, 1e-11);
  EXPECT_EQ(screened.count, 1U);
  Candidate candidate;
  candidates.copy_to({&candidate, 1});
  EXPECT_EQ(candidate.cell, 3);
  EXPECT_NEAR(candidate.upper, 1.01 * peak, 1e-11);

  // If cells may be off by half their values, the neighbours may be higher than it: there are more
  // candidates than there is room for.
  layer.apply(cuda::StormImpacts{}, found.span().data());
  layer.screen(0.5, 0, candidates.span());
  found.copy_to({&screened, 1});
  EXPECT_GT(screened.count, 2U);
}

// The second peak, in another tile, may be the higher one if both may be off by half of what it is
// lower.
TEST_F(SmallConvolutionOnGpu, AbsolutePartOfTheBound) {
  cuda::ConvolvedLayer layer(2000, {0, 2000}, square_root_attenuation, 1, 1e-12);
  const std::vector<Impact> deposits{{100, 1000}, {1900, 994}};
  const cuda::DeviceArray<Impact> there{std::span<const Impact>(deposits)};
  cuda::DeviceArray<Screened> found(1);
  cuda::DeviceArray<Candidate> candidates(7);
  for (const auto& [part, count] : {std::pair{0.49, 1U}, {0.51, 2U}}) {
    layer.clear();
    layer.apply({there.span(), 100, 1900}, found.span().data());
    std::vector<double> values(2000);
    layer.values(values);
    const double absolute = part * (values[100] - values[1900]);
    layer.screen(0, absolute, candidates.span());
    Screened screened;
    found.copy_to({&screened, 1});
    EXPECT_EQ(screened.peak.index, 100);
    EXPECT_NEAR(screened.least, values[100] - absolute, 1e-12);
    EXPECT_EQ(screened.count, count);
  }
}

TEST_F(ConvolutionOnGpu, OneImpactNearTheBorderOfATile) {
  // Tiles have 1920 cells in a layer with many chunks, otherwise 384; the first one begins 64 cells
  // before the layer.
  for (const auto& [cells, tile_cells] : {std::pair{1'000'003, 1920}, {100'003, 384}}) {
    const std::int64_t border = tile_cells * 200 - 64;
    BothLayers layers(cells);
    for (const std::int64_t away : {-129, -128, -65, -64, -1, 0, 63, 64, 127, 128, 129, 700}) {
      layers.apply({{border + away, 1000}});
    }
    for (const std::int64_t position : {0, cells - 1, -70, cells + 70}) {
      layers.apply({{position, 1000}});
    }
  }
}

TEST_F(ConvolutionOnGpu, MoreTilesThanAScanTakesInAPass) {
  // 512 threads take 8 tiles of 1920 cells each: 8 million cells.
  const std::int64_t cells = 17'000'003;
  std::mt19937_64 random(11);
  BothLayers layers(cells);
  for (const std::int64_t count : {3, 8, 0, 4}) {
    layers.apply(random_impacts(random, count, count == 8 ? -cells : 0, 2 * cells, true));
    layers.track();  // from now on
  }
}

TEST_F(ConvolutionOnGpu, OutsideIsSeenFromTheLastTileButOne) {
  // One chunk of the last tile is in the padded layer: the cells after it are neighbours of two
  // tiles.
  for (const auto& [tiles, tile_chunks] : {std::pair{200, 6}, {600, 30}, {8500, 30}}) {
    const std::int64_t chunks = tile_chunks * (tiles - 1) + 1;
    const std::int64_t cells = 64 * (chunks - 2);
    BothLayers layers(cells);
    for (const std::int64_t position : {cells + 64, cells + 500, std::int64_t{-65}}) {
      layers.apply({{position, 1000}});
    }
  }
}

TEST_F(ConvolutionOnGpu, MoreImpactsThanThreads) {
  std::mt19937_64 random(12);  // up to 2^20 threads gather a storm
  BothLayers layers(70);
  layers.track();
  layers.apply(random_impacts(random, 1'200'000, -20, 90, true));
}

TEST_F(ConvolutionOnGpu, PeaksOfManyTiles) {
  // One impact: the peak is there.
  const std::int64_t cells = 30'000'000;
  cuda::ConvolvedLayer layer(cells, {0, cells}, square_root_attenuation, 1, 1e-12);
  cuda::DeviceArray<Screened> found(1);
  for (const std::int64_t position : {20'000'000, 1919 - 64, 1920 - 64, 29'999'998, 1}) {
    const std::vector<Impact> deposits{{position, 6}};
    const cuda::DeviceArray<Impact> there{std::span<const Impact>(deposits)};
    layer.clear();
    layer.apply({there.span(), position, position}, found.span().data());
    Screened screened;
    found.copy_to({&screened, 1});
    EXPECT_EQ(screened.peak.index, position);
    EXPECT_NEAR(screened.peak.value, (6 + 2 * 4.2426406871192851) / 3, 1e-11);
  }
}

TEST_F(SmallConvolutionOnGpu, WhatCannotBeIsRefused) {
  cuda::ConvolvedLayer layer(20, {0, 20}, square_root_attenuation, 1, 1e-12);
  cuda::DeviceArray<Screened> found(1);
  cuda::DeviceArray<Candidate> candidates(1);
  Screened* const screened = found.span().data();
  const cuda::StormImpacts empty;
  const auto screen = [&] { layer.screen(0.1, 0, candidates.span()); };
  EXPECT_THROW(screen(), std::logic_error) << "no storm has been applied";
  layer.apply(empty, screened);
  EXPECT_NO_THROW(screen());
  layer.begin_with(std::span<const double>(std::vector<double>(20, 1)));
  EXPECT_THROW(screen(), std::logic_error) << "the findings are of a storm before";
  EXPECT_THROW(layer.begin_with(std::span<const double>(std::vector<double>(19))),
               std::invalid_argument);
  layer.track_uncertainty(0);
  EXPECT_THROW(layer.apply(empty, screened), std::logic_error) << "without an uncertainty";
  layer.apply({.uncertainty = StormUncertainty{}}, screened);
  EXPECT_NO_THROW(screen());
}

TEST_F(ConvolutionOnGpu, SameBitsAgain) {
  std::mt19937_64 random(3);
  const auto deposits = random_impacts(random, 30000, -500, 50500, false);
  const cuda::DeviceArray<Impact> there{std::span<const Impact>(deposits)};
  cuda::DeviceArray<Screened> found(1);
  std::vector<std::vector<double>> runs;
  cuda::ConvolvedLayer layer(50000, {0, 50000}, square_root_attenuation, 1, 1e-12);
  for (int run = 0; run < 2; ++run) {
    layer.clear();
    layer.apply({there.span(), -500, 50500}, found.span().data());
    layer.values(runs.emplace_back(50000));
  }
  EXPECT_EQ(runs[0], runs[1]);
}

}  // namespace
