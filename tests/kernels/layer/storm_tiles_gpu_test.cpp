// Tiles on the device against the rule in a few lines: storms of about the size of a batch or of a
// lane's run, and distances beyond those of the fast way.

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/storm_tiles.hpp"
#include "sim/engines/screened/tile_plan.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/layer/by_the_rule.hpp"
#include "tests/random_storms.hpp"

using namespace bombard;

namespace {

using StormTilesOnGpu = GpuTest;
using Impacts = std::vector<Impact>;

/// Some neighbouring cells after these storms, from cell `first` on, by the rule: right but for the
/// outermost ones, as many on both sides as there are storms.
std::vector<float> by_the_rule(const std::vector<Impacts>& storms, std::int64_t first,
                               std::int64_t cells, std::int64_t total) {
  std::vector<float> values(static_cast<std::size_t>(cells));
  for (const Impacts& storm : storms) {
    std::vector<ScaledImpact> scaled;
    for (const Impact& impact : storm) {
      const float energy = static_cast<float>(impact.energy) * 1000.0F / static_cast<float>(total);
      scaled.push_back({impact.position, energy});
    }
    const std::vector<float> before = bombard::by_the_rule(scaled, 0, first, values);
    values = before;
    for (std::size_t i = 1; i + 1 < values.size(); ++i) {
      values[i] = (before[i - 1] + before[i] + before[i + 1]) / 3.0F;
    }
  }
  return values;
}

/// The values of these cells of a layer of `total` cells, after storms that are moved by `origin`.
void expect_the_rule(std::int64_t total, const std::vector<CellRange>& wanted,
                     std::vector<Impacts> storms, std::int64_t origin) {
  for (Impacts& storm : storms) {
    for (Impact& impact : storm) impact.position += origin;
  }
  const std::vector<CellTile> tiles = plan_tiles(wanted, storms.size(), total, 20);
  const auto count = static_cast<std::size_t>(values_of(tiles));
  const std::vector<float> poison(count, 1e30F);
  const cuda::DeviceArray<CellTile> tiles_there{std::span<const CellTile>(tiles)};
  cuda::DeviceArray<float> before{std::span<const float>(poison)};
  cuda::DeviceArray<float> after{std::span<const float>(poison)};
  const LayerRule rule{energy_scale({}, total), 0};
  for (std::size_t round = 0; round <= storms.size(); ++round) {
    const Impacts storm = round < storms.size() ? storms[round] : Impacts{};
    const cuda::DeviceArray<Impact> there{std::span<const Impact>(storm)};
    cuda::apply_to_tiles(rule, there.span(), total, tiles_there.span(), static_cast<int>(round),
                         std::as_const(before).span(), after.span());
    cuda::synchronize();
    std::swap(before, after);
  }
  std::vector<float> left(count);
  before.copy_to(left);

  for (const CellRange& range : wanted) {
    const CellRange cone = range.widened(std::ssize(storms), total);
    const std::vector<float> expected = by_the_rule(storms, cone.begin, cone.count(), total);
    const auto is = left.begin() + value_of(range.begin, tiles);
    const auto should_be = expected.begin() + (range.begin - cone.begin);
    ASSERT_EQ(bits_of(std::vector(is, is + range.count())),
              bits_of(std::vector(should_be, should_be + range.count())))
        << "from cell " << range.begin;
  }
}

}  // namespace

TEST_F(StormTilesOnGpu, StormsOfAwkwardSizes) {
  const std::vector<CellRange> wanted{{0, 3}, {40, 43}, {60, 61}, {64, 72}, {90, 123}, {197, 200}};
  std::mt19937_64 random(1);
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{1},
                                                 {0},
                                                 {15, 16, 17, 511, 512, 513},
                                                 {4095, 4096, 4097},
                                                 {0, 3, 0, 0, 9000, 0},
                                                 {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}) {
    for (const bool negative : {false, true}) {
      std::vector<Impacts> storms;
      for (const std::int64_t size : sizes) {
        storms.push_back(random_impacts(random, size, -300, 501, negative));
      }
      expect_the_rule(200, wanted, storms, 0);
      expect_the_rule(200, wanted, storms, -17);
    }
  }
}

TEST_F(StormTilesOnGpu, TheWholeLayer) {
  std::mt19937_64 random(2);
  for (const std::int64_t cells : {1, 2, 3, 7, 8, 9, 31, 64}) {
    const std::vector<Impacts> storms{random_impacts(random, 700, -5, cells + 6),
                                      random_impacts(random, 40, 0, cells, true)};
    expect_the_rule(cells, {{0, cells}}, storms, 0);
  }
}

// Beyond 2^24 cells distances are no longer exact floats: such batches are added in another way.
TEST_F(StormTilesOnGpu, FarImpacts) {
  constexpr std::int64_t total = 100'000'000;
  constexpr std::int64_t middle = total / 2;
  const std::vector<CellRange> wanted{
      {0, 20}, {middle, middle + 40}, {middle + 100, middle + 109}, {total - 20, total}};
  std::mt19937_64 random(3);
  const auto some = [&](std::int64_t impacts, std::int64_t away) {
    return random_impacts(random, impacts, -away, away + 1);
  };
  expect_the_rule(total, wanted, {some(3000, 1000), some(3000, std::int64_t{1} << 40)}, middle);
  // Batches of near impacts, and one with a single far one.
  Impacts storm = some(5000, 1000);
  storm[2100].position = 3 * total;
  storm[4999].position = -total;
  expect_the_rule(total, wanted, {storm, some(100, 50), storm}, middle);
}
