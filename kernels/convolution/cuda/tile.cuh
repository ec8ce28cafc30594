#pragma once

// A tile in the shared memory of a block of threads: the sources that it sees, and the moments of
// its chunks.

#include <cstdint>

#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/convolution/cuda/states.hpp"
#include "kernels/convolution/cuda/tables.hpp"
#include "kernels/convolution/cuda/tiling.hpp"

namespace bombard::cuda {

inline constexpr int tile_threads = 256, tile_warps = tile_threads / 32;
/// Terms of the exponential sum that a tile takes at a time, one for each lane.
inline constexpr int terms_at_once = 32;

__device__ inline int warp() {
  return static_cast<int>(threadIdx.x) / 32;
}
__device__ inline int lane() {
  return static_cast<int>(threadIdx.x) % 32;
}

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
  constexpr int rows = TileSources<tile_chunks>::rows, rows_at_once = tile_threads / width;
  constexpr int turns = (rows + rows_at_once - 1) / rows_at_once;
  std::uint64_t mask = 0;
  if (threadIdx.x < rows) {
    const std::int64_t chunk = first_chunk + threadIdx.x;
    if (chunk >= 0 && chunk < chunks) mask = sources.mask[chunk];
    if (mask != 0) of_tile.begin[threadIdx.x] = sources.begin_of(chunk);
    of_tile.mask[threadIdx.x] = mask;
    of_tile.count[threadIdx.x] = static_cast<unsigned char>(__popcll(mask));
  }
  if (__syncthreads_or(mask != 0) == 0) return false;
  // A thread takes a cell in some rows, and loads all of its sources at the same time.
  const int cell = static_cast<int>(threadIdx.x) % width;
  const int first = static_cast<int>(threadIdx.x) / width;
  double amount[turns];
#pragma unroll
  for (int turn = 0; turn < turns; ++turn) {
    const int row = first + turn * rows_at_once;
    const bool is_there = row < rows && (of_tile.mask[row] >> cell & 1) != 0;
    amount[turn] = is_there ? sources.amount(field, of_tile.begin[row] + cell) : 0;
  }
#pragma unroll
  for (int turn = 0; turn < turns; ++turn) {
    const int row = first + turn * rows_at_once;
    if (row >= rows || (of_tile.mask[row] >> cell & 1) == 0) continue;
    const int at = __popcll(of_tile.mask[row] & ((std::uint64_t{1} << cell) - 1));
    of_tile.amount[row][at] = amount[turn];
    of_tile.cell[row][at] = static_cast<unsigned char>(cell);
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
                               std::int64_t first_chunk, std::int64_t chunks, const double* outside,
                               ChunkStates<tile_chunks>& moments) {
  const int term = first + lane();
  const auto moment = [&](int row, bool to_right) {
    if (term >= t.terms) return 0.0;
    double sum = 0;
#pragma unroll 4
    for (int i = 0; i < sources.count[row]; ++i) {
      const int cell = sources.cell[row][i];
      const int cells = to_right ? width - 1 - cell : cell;
      sum = fma(sources.amount[row][i], t.moment[cells * t.row + term], sum);
    }
    const bool is_outside = first_chunk + row == (to_right ? -1 : chunks);
    return is_outside ? outside[(to_right ? 0 : t.terms) + term] : sum;
  };
  for (int c = warp(); c < evaluated_chunks(tile_chunks); c += tile_warps) {
    moments[0][c][lane()] = moment(c, true);
    moments[1][c][lane()] = moment(c + 2, false);
  }
}

}  // namespace bombard::cuda
