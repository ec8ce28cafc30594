#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/layer/rule.hpp"

namespace bombard {

/// A few neighbouring cells of a layer, which a block computes.
struct CellTile {
  static constexpr std::int64_t most_cells = 8;

  std::int64_t first;  ///< in the whole layer
  std::int64_t value;  ///< where its value is among the values of all tiles
  int cells;           ///< 1 to most_cells
  int rounds;          ///< it takes part in this number of rounds, 1 or more
};

}  // namespace bombard

/// Storm tiles: relax and update in a few cells, bit-identical to the kernels of those names. They
/// are made for many impacts on few cells: the threads of a block share out the impacts and still
/// add them in order.
namespace bombard::cuda {

/// Round number `round`, counted from 0, of the tiles that take part in it: relaxes the values
/// `before`, which are all 0 in round 0, and adds a storm to them, all of whose shares count. The
/// outermost cells of neighbouring tiles are wrong from the next round on, one more on each side in
/// each, unless the layer, of `layer_cells` cells, ends there; so are those beside a tile that no
/// longer takes part. The values of tiles that touch stand side by side, with one more before the
/// first and after the last. The spans are in device memory; returns once launched.
void apply_to_tiles(const LayerRule& rule, std::span<const Impact> storm, std::int64_t layer_cells,
                    std::span<const CellTile> tiles, int round, std::span<const float> before,
                    std::span<float> after);

/// How many tiles the current device works on at a time.
std::int64_t tiles_at_once();

}  // namespace bombard::cuda
