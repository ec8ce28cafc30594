#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/layer/rule.hpp"

namespace bombard {

/// A few neighbouring cells of a layer.
struct CellTile {
  static constexpr std::int64_t most_cells = 64;

  std::int64_t first;   ///< in the whole layer
  std::int64_t cells;   ///< 1 to most_cells
  std::int64_t before;  ///< index of its first value before the storms; -1: all are 0
  std::int64_t after;   ///< index of its first value after the storms
  int storms;           ///< how many of the storms, counted from the first, it takes; 1 or more
};

/// Storms for tiles of a layer, all of whose shares count.
struct TileStorms {
  static constexpr int most = 8;  ///< more would save rounds, but tiles would need wider margins

  /// The impacts of all storms, each in file order; device memory.
  std::span<const Impact> impacts;
  std::span<const std::int64_t> ends;  ///< where each of 1 to `most` storms ends among them
  std::int64_t layer_cells;            ///< the layer's first and last cells are never relaxed
};

}  // namespace bombard

/// Storm tiles: update and relax of several storms in a few cells, bit-identical to the kernels of
/// those names. They are made for many impacts on few cells: the threads of a warp share out a
/// cell's impacts and still add them in order.
namespace bombard::cuda {

/// Each storm uses up one cell on each side of a tile unless the layer ends there: after storm i of
/// the batch, cells i+1 .. cells-i-2 are known. Those known after the tile's last storm are written
/// to `after`, which must not overlap what a tile reads of `before`. The spans are in device
/// memory; returns once launched.
void apply_to_tiles(const LayerRule& rule, const TileStorms& storms,
                    std::span<const CellTile> tiles, std::span<const float> before,
                    std::span<float> after);

/// How many tiles the current device works on at a time.
std::int64_t tiles_at_once();

}  // namespace bombard::cuda
