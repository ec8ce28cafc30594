// Tiles on the device against the rule in a few lines: every known cell, storms of about the size
// of a batch or of a lane's run, and distances beyond those of the fast way.

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/storm_tiles.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/layer/by_the_rule.hpp"
#include "tests/random_storms.hpp"

using namespace bombard;

namespace {

using StormTilesOnGpu = GpuTest;
using Impacts = std::vector<Impact>;

/// A tile after each storm, by the rule. Cells low .. high are known.
struct TileByTheRule {
  std::int64_t first, total, low, high;
  std::vector<float> values;

  void apply(const Impacts& storm) {
    std::vector<ScaledImpact> scaled;
    for (const Impact& impact : storm) {
      const float energy = static_cast<float>(impact.energy) * 1000.0F / static_cast<float>(total);
      scaled.push_back({impact.position, energy});
    }
    const std::vector<float> before = by_the_rule(scaled, 0, first, values);
    values = before;
    const auto old = [&](std::int64_t i) { return before[static_cast<std::size_t>(i)]; };
    if (first > 0) ++low;
    if (first + static_cast<std::int64_t>(values.size()) < total) --high;
    for (std::int64_t i = low; i <= high; ++i) {
      if (first + i == 0 || first + i == total - 1) continue;
      values[static_cast<std::size_t>(i)] = (old(i - 1) + old(i) + old(i + 1)) / 3.0F;
    }
  }
};

/// Tiles of a layer of `total` cells: the first one takes all storms, the next one all but the
/// last, and so on. Impacts are moved by `origin`.
void expect_the_rule(std::int64_t total, const std::vector<CellRange>& cells_of_tiles,
                     std::vector<Impacts> storms, std::int64_t origin, bool from_zero) {
  std::vector<Impact> deposits;
  std::vector<std::int64_t> ends;
  for (Impacts& storm : storms) {
    for (Impact& impact : storm) {
      impact.position += origin;
      deposits.push_back(impact);
    }
    ends.push_back(static_cast<std::int64_t>(deposits.size()));
  }
  std::mt19937 random(3);
  std::vector<float> before;
  std::vector<CellTile> tiles;
  for (const CellRange& cells : cells_of_tiles) {
    const auto values = static_cast<std::int64_t>(before.size());
    tiles.push_back({.first = cells.begin,
                     .cells = cells.count(),
                     .before = from_zero ? -1 : values,
                     .after = values,
                     .storms = static_cast<int>(storms.size() - tiles.size() % storms.size())});
    for (std::int64_t i = 0; i < cells.count(); ++i) {
      before.push_back(from_zero ? 0.0F : static_cast<float>(random() % 100'000) / 7);
    }
  }
  deposits.resize(deposits.size() + 1);  // an empty span would have no memory
  const cuda::DeviceArray<Impact> on_device{std::span<const Impact>(deposits)};
  const cuda::DeviceArray<CellTile> tiles_on_device{std::span<const CellTile>(tiles)};
  const cuda::DeviceArray<float> values_before{std::span<const float>(before)};
  cuda::DeviceArray<float> values_after{std::span<const float>(before)};
  const LayerRule rule{energy_scale({}, total), 0};
  cuda::apply_to_tiles(rule, {.impacts = on_device.span(), .ends = ends, .layer_cells = total},
                       tiles_on_device.span(), values_before.span(), values_after.span());
  std::vector<float> after(before.size());
  values_after.copy_to(after);

  for (std::size_t t = 0; t < tiles.size(); ++t) {
    const CellTile& tile = tiles[t];
    const auto place = before.begin() + tile.after;
    TileByTheRule expected{tile.first, total, 0, tile.cells - 1, {place, place + tile.cells}};
    for (int storm = 0; storm < tile.storms; ++storm) {
      expected.apply(storms[static_cast<std::size_t>(storm)]);
    }
    const auto known = [&](const float* values) {
      return bits_of(expected.low > expected.high
                         ? std::vector<float>()
                         : std::vector(values + expected.low, values + expected.high + 1));
    };
    ASSERT_EQ(known(after.data() + tile.after), known(expected.values.data())) << "tile " << t;
  }
}

std::vector<CellRange> tiles_of_200_cells() {
  return {{0, 64}, {70, 134}, {136, 200}, {90, 123}, {150, 167}, {60, 61}, {0, 32}, {197, 200}};
}

}  // namespace

TEST_F(StormTilesOnGpu, StormsOfAwkwardSizes) {
  std::mt19937_64 random(1);
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{1},
                                                 {0},
                                                 {15, 16, 17, 511, 512, 513},
                                                 {2047, 2048, 2049},
                                                 {0, 3, 0, 0, 4097, 0},
                                                 {1, 1, 1, 1, 1, 1, 1, 1}}) {
    for (const bool negative : {false, true}) {
      std::vector<Impacts> storms;
      for (const std::int64_t size : sizes) {
        storms.push_back(random_impacts(random, size, -300, 501, negative));
      }
      expect_the_rule(200, tiles_of_200_cells(), storms, 0, true);
      expect_the_rule(200, tiles_of_200_cells(), storms, -17, false);
    }
  }
}

TEST_F(StormTilesOnGpu, TheWholeLayerIsATile) {
  std::mt19937_64 random(2);
  for (const std::int64_t cells : {1, 2, 3, 31, 32, 33, 63, 64}) {
    const std::vector<Impacts> storms{random_impacts(random, 700, -5, cells + 6),
                                      random_impacts(random, 40, 0, cells, true)};
    expect_the_rule(cells, {{0, cells}}, storms, 0, true);
  }
}

// Beyond 2^24 cells distances are no longer exact floats: such batches are added in another way.
TEST_F(StormTilesOnGpu, FarImpacts) {
  constexpr std::int64_t total = 100'000'000;
  constexpr std::int64_t middle = total / 2;
  const std::vector<CellRange> tiles{
      {0, 20}, {middle, middle + 40}, {total - 20, total}, {middle + 100, middle + 109}};
  std::mt19937_64 random(3);
  const auto some = [&](std::int64_t impacts, std::int64_t away) {
    return random_impacts(random, impacts, -away, away + 1);
  };
  expect_the_rule(total, tiles, {some(3000, 1000), some(3000, std::int64_t{1} << 40)}, middle,
                  false);
  // Batches of near impacts, and one with a single far one.
  Impacts storm = some(5000, 1000);
  storm[2100].position = 3 * total;
  storm[4999].position = -total;
  expect_the_rule(total, {{middle, middle + 40}, {middle + 100, middle + 109}},
                  {storm, some(100, 50), storm}, middle, true);
}
