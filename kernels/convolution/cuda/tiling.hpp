#pragma once

#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/convolution/chunks.hpp"

namespace bombard::cuda {

inline constexpr int width = static_cast<int>(chunk_cells);
inline constexpr int half_width = width / 2;
/// Cells on either side of a tile that its own cells need when they are relaxed and compared.
inline constexpr int halo = 2;
/// Chunks of a tile. If there were few tiles of many chunks, most multiprocessors would be idle.
inline constexpr int many_chunks = 30, few_chunks = 6;
/// Chunks that a tile evaluates, its own and one on either side for the halo, and chunks whose
/// sources it sees: impacts in the chunks on either side of an evaluated one are near.
BOMBARD_HOST_DEVICE constexpr int evaluated_chunks(int tile_chunks) {
  return tile_chunks + 2;
}
BOMBARD_HOST_DEVICE constexpr int seen_chunks(int tile_chunks) {
  return tile_chunks + 4;
}

/// Calls call.operator()<tile_chunks>() with the number of chunks of a tile.
template <class Call>
void with_chunks_of_tile(int tile_chunks, const Call& call) {
  tile_chunks == few_chunks ? call.template operator()<few_chunks>()
                            : call.template operator()<many_chunks>();
}

/// The chunks of a padded layer in tiles, one for each block of threads.
struct Tiling {
  std::int64_t chunks, tiles;
  int tile_chunks;  ///< chunks of a tile

  explicit Tiling(std::int64_t chunks_of_layer) : chunks(chunks_of_layer) {
    // Measured on an H100 (docs/journal.md, Plain chunks).
    constexpr std::int64_t enough_tiles = 400;
    tile_chunks = chunks / many_chunks < enough_tiles ? few_chunks : many_chunks;
    tiles = (chunks + tile_chunks - 1) / tile_chunks;
  }

  BOMBARD_HOST_DEVICE int cells() const { return tile_chunks * width; }
  BOMBARD_HOST_DEVICE std::int64_t first_seen(std::int64_t tile) const {
    return tile * tile_chunks - 2;
  }

  /// States that enter the tiles are stored in the order in which they pass the tiles.
  BOMBARD_HOST_DEVICE std::int64_t on_way(bool to_right, std::int64_t tile) const {
    return to_right ? tile : tiles - 1 - tile;
  }
  /// Whether a tile sees a chunk next to the layer, which has the moments of what lies outside.
  BOMBARD_HOST_DEVICE bool sees_outside(std::int64_t tile) const {
    return tile == 0 || first_seen(tile) + seen_chunks(tile_chunks) > chunks;
  }
};

}  // namespace bombard::cuda
