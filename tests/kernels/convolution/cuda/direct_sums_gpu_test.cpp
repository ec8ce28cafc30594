// Impacts that count only up to a reach, in a layer on a GPU: what the layer on the CPU does not
// have (tests/kernels/convolution/convolved_layer_test.cpp tests both).

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/convolution/cuda/direct_sums.hpp"
#include "kernels/device/device_memory.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/convolution/both_layers.hpp"
#include "tests/random_storms.hpp"

using namespace bombard;

namespace {

/// A storm on the device, where it waits for nothing, and the reach of each impact.
struct StormThere {
  cuda::DeviceArray<Impact> impacts;
  cuda::DeviceArray<std::int64_t> reaches;
  cuda::DeviceArray<Screened> found{1};

  StormThere(const std::vector<Impact>& storm, const std::vector<std::int64_t>& of_impacts)
      : impacts(std::span<const Impact>(storm)),
        reaches(std::span<const std::int64_t>(of_impacts)) {}
  void apply_to(cuda::ConvolvedLayer& layer) {
    layer.apply_directly(impacts.span(), reaches.span(), found.span().data());
  }
  Screened screened() const {
    Screened result;
    found.copy_to({&result, 1});
    return result;
  }
};

class SmallDirectSumsOnGpu : public GpuTest {};
class DirectSumsOnGpu : public GpuTest {};

TEST_F(SmallDirectSumsOnGpu, CandidatesByHand) {
  // 7 cells, scale 1, energy 6 at cell 3 with a reach of 2: 6 there and 6/sqrt(2) beside it, then
  // means of three.
  cuda::ConvolvedLayer layer({0, 7, 7}, {0, 7}, square_root_attenuation, 1, 1e-12);
  StormThere storm({{3, 6}, {6, 3}, {5, 100}}, {2, 1, 0});
  cuda::DeviceArray<Candidate> candidates(7);
  const double high = (2 * 4.2426406871192851 + 6) / 3;
  // Cells may be off by a number: with 0.70 the neighbours of the highest cannot reach it, with
  // 0.72 they can.
  for (const auto& [absolute, count] : {std::pair{0.70, 1U}, {0.72, 3U}}) {
    layer.clear();
    storm.apply_to(layer);
    layer.screen(0, candidates.span(), nullptr, absolute);
    const Screened screened = storm.screened();
    EXPECT_EQ(screened.peak.index, 3);
    EXPECT_NEAR(screened.least, high - absolute, 1e-14);
    EXPECT_EQ(screened.count, count);
  }
}

TEST_F(SmallDirectSumsOnGpu, AbsolutePartOfTheBoundInAnotherTile) {
  // An energy e brings e and, on both sides, e/sqrt(2): the mean of the three is 0.8047 e. The
  // second one is 0.80 lower, and may be the higher one if both may be off by half of that.
  cuda::ConvolvedLayer layer({0, 6000, 6000}, {0, 6000}, square_root_attenuation, 1, 1e-12);
  StormThere storm({{100, 1000}, {5000, 999}}, {2, 2});
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
  Random random(41);
  std::vector<Impact> impacts{{largest_position, 1}, {-largest_position, 2}};
  for (std::int32_t i = 0; i < 30'000; ++i) impacts.push_back({below(random, 1000) - 500, i});
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
  EXPECT_THROW(StormThere({{1, 1}, {2, 1}}, {1, 2, 3}).apply_to(layer), std::invalid_argument);
  StormThere storm({{1, 1}}, {1});
  layer.gather({});
  EXPECT_THROW(storm.apply_to(layer), std::logic_error);
  layer.clear();
  EXPECT_NO_THROW(storm.apply_to(layer));
  layer.track_uncertainty(0);
  EXPECT_THROW(storm.apply_to(layer), std::logic_error);
}

TEST_F(DirectSumsOnGpu, ManyTiles) {
  // Blocks are larger on longer layers. Reaches go from one cell to all cells; if sorted by
  // position, most impacts reach no cell of a block.
  Random random(31);
  for (const std::int64_t cells : {1'000'003, 5'000'011}) {
    BothLayers layers(cells, 1e-12, square_root_attenuation, 1,
                      1000.0 / static_cast<double>(cells));
    const auto apply = [&](const std::vector<Impact>& impacts, std::int64_t longest) {
      std::vector<std::int64_t> reaches;
      for (std::size_t i = 0; i < impacts.size(); ++i) reaches.push_back(below(random, longest));
      reaches[impacts.size() / 2] = cells;
      layers.apply(impacts, reaches);
    };
    apply(random_impacts(random, 50, -1000, cells + 1000, true), 20'000);
    apply(random_impacts(random, 20, -1000, cells + 1000, true), 2 * cells);
    std::vector<Impact> in_order = random_impacts(random, 3000, 0, cells, true);
    std::ranges::sort(in_order, {}, &Impact::position);
    apply(in_order, 1000);
  }
}

}  // namespace
