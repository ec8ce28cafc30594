#pragma once

// A tile in the shared memory of a block of threads: the sources that it sees, and the moments of
// its chunks.

#include <cstdint>

#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/convolution/cuda/states.hpp"
#include "kernels/convolution/cuda/tables.hpp"
#include "kernels/convolution/cuda/tiling.hpp"
#include "kernels/device/warp.cuh"

namespace bombard::cuda {

inline constexpr int tile_threads = 256, tile_warps = tile_threads / 32;
/// Terms of the exponential sum that a tile takes at a time, one for each lane.
inline constexpr int terms_at_once = 32;

/// The sources of the chunks that a tile sees, with a row for each chunk that lists its sources in
/// order.
template <int tile_chunks>
struct TileSources {
  static constexpr int rows = seen_chunks(tile_chunks);
  std::uint64_t mask[rows];
  std::int64_t begin[rows];  ///< in device memory
  double amount[rows][width];
  unsigned char cell[rows][width];  ///< of its chunk
  unsigned char count[rows];
};

/// Fills in the rows from this chunk on, and returns whether there is any source. All threads must
/// call it.
template <int tile_chunks>
__device__ bool collect_sources(const SourceArrays& sources, Field field, std::int64_t first_chunk,
                                std::int64_t chunks, TileSources<tile_chunks>& of_tile) {
  constexpr int rows = TileSources<tile_chunks>::rows;
  std::uint64_t mask = 0;
  if (threadIdx.x < rows) {
    const std::int64_t chunk = first_chunk + threadIdx.x;
    if (chunk >= 0 && chunk < chunks) mask = sources.mask[chunk];
    if (mask != 0) of_tile.begin[threadIdx.x] = sources.begin_of(chunk);
    of_tile.mask[threadIdx.x] = mask;
    of_tile.count[threadIdx.x] = static_cast<unsigned char>(__popcll(mask));
  }
  if (__syncthreads_or(mask != 0) == 0) return false;
  for (int row = warp(); row < rows; row += tile_warps) {
    mask = of_tile.mask[row];
    if (mask == 0) continue;
#pragma unroll
    for (int cell = lane(); cell < width; cell += 32) {
      const std::uint64_t bit = std::uint64_t{1} << cell;
      if ((mask & bit) == 0) continue;
      const int at = __popcll(mask & (bit - 1));
      of_tile.amount[row][at] = sources.amount(field, of_tile.begin[row] + cell);
      of_tile.cell[row][at] = static_cast<unsigned char>(cell);
    }
  }
  __syncthreads();
  return true;
}

/// A number for each of two sides, each evaluated chunk and each of terms_at_once terms. (The
/// lanes' numbers are in different banks.) Side 0 is for what passes to the right, A, and side 1
/// for B.
template <int tile_chunks>
using ChunkStates = double[2][evaluated_chunks(tile_chunks)][terms_at_once + 1];

/// Finds what is added to A on the way from each evaluated chunk to the next, the moment of the
/// chunk before it, and to B likewise, the moment of the chunk after it: a chunk that has been near
/// is now far. A moment is the sum of v exp(-a n), with n = 2 for the chunk's last cell on the way.
/// What lies outside the layer, [side][term], is in the chunk next to it. A lane takes a term, from
/// `first` on. Evaluated chunk c is in row c + 1 of the sources.
template <int tile_chunks>
__device__ void add_up_moments(const TileSources<tile_chunks>& sources, const Tables& t, int first,
                               const Tiling& tiling, std::int64_t tile, const double* outside,
                               ChunkStates<tile_chunks>& moments) {
  const int term = first + lane();
  const bool is_term = term < t.terms, sees_outside = tiling.sees_outside(tile);
  const std::int64_t first_chunk = tiling.first_seen(tile);
  for (int c = warp(); c < evaluated_chunks(tile_chunks); c += tile_warps) {
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const int row = side == 0 ? c : c + 2;
      const int count = is_term ? sources.count[row] : 0;
      double sum = 0;
#pragma unroll 4
      for (int i = 0; i < count; ++i) {
        const int cell = sources.cell[row][i];
        const int cells = side == 0 ? width - 1 - cell : cell;
        sum = fma(sources.amount[row][i], t.moment[cells * t.row + term], sum);
      }
      if (sees_outside && is_term && first_chunk + row == (side == 0 ? -1 : tiling.chunks)) {
        sum = outside[side * t.terms + term];
      }
      moments[side][c][lane()] = sum;
    }
  }
}

}  // namespace bombard::cuda
