#pragma once

#include <cstdint>

#include "kernels/layer/scaled_impact.hpp"
#include "kernels/share/exact_share.cuh"

namespace bombard::cuda {

/// An impact in shared memory as the cells of a tile see it: `offset` from the tile's first cell,
/// if that is an exact float.
struct StagedImpact {
  float offset, energy;
};

/// How n and the shares of impacts are computed, from the fastest to the most general: n in floats,
/// which hold it exactly; n in 32-bit integers; n in 64-bit integers and the share with the
/// compiler's IEEE operations.
enum DistanceType : int { as_float, as_int32, as_int64 };

/// Whether floats hold the distances of an impact at `offset` from all cells of a tile: true of
/// most impacts. exact_shares() hold where no distance comes near 2^24.
__device__ inline bool is_in_floats(std::int64_t offset, std::int64_t tile_cells) {
  const std::int64_t most = largest_exact_distance - 65 - tile_cells;
  return static_cast<std::uint64_t>(offset + most) <= static_cast<std::uint64_t>(2 * most);
}

/// The fastest type for an impact at `offset` and all cells of a tile.
__device__ inline DistanceType distance_type(std::int64_t offset, std::int64_t tile_cells) {
  if (is_in_floats(offset, tile_cells)) return as_float;
  // Below this, a distance and what is added to it within a tile fit into 32 bits.
  constexpr std::int64_t distances_in_32_bits = std::int64_t{1} << 30;
  const std::int64_t lowest =
      offset < 0 ? 1 - offset : max(offset - tile_cells + 2, std::int64_t{1});
  const std::int64_t highest = (offset < 0 ? -offset : offset) + tile_cells + 1;
  if (highest >= distances_in_32_bits || !exact_shares_hold(lowest, highest)) return as_int64;
  return highest <= largest_exact_distance ? as_float : as_int32;
}

}  // namespace bombard::cuda
