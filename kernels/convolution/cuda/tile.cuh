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
inline constexpr int group_terms = 32;

__device__ inline int warp() {
  return static_cast<int>(threadIdx.x) / 32;
}
__device__ inline int lane() {
  return static_cast<int>(threadIdx.x) % 32;
}

/// The sources of the chunks that a tile sees, with a row for each chunk that lists its sources in
/// order.
template <int own>
struct TileSources {
  static constexpr int rows = seen_chunks(own);
  std::uint64_t mask[rows];
  std::int64_t begin[rows];  ///< in device memory
  double amount[rows][width];
  unsigned char place[rows][width];
  unsigned char count[rows];
};

/// Fills in the rows from this chunk on, and returns whether there is any source. All threads must
/// call it.
template <int own>
__device__ bool load(const SourceArrays& sources, Field field, std::int64_t first_chunk,
                     std::int64_t chunks, TileSources<own>& of_tile) {
  constexpr int rows = TileSources<own>::rows, rows_at_once = tile_threads / width;
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
  // A thread takes a place in some rows, and loads all of its sources at the same time.
  const int place = static_cast<int>(threadIdx.x) % width;
  const int first = static_cast<int>(threadIdx.x) / width;
  double amount[turns];
#pragma unroll
  for (int turn = 0; turn < turns; ++turn) {
    const int row = first + turn * rows_at_once;
    const bool is_there = row < rows && (of_tile.mask[row] >> place & 1) != 0;
    amount[turn] = is_there ? sources.amount(field, of_tile.begin[row] + place) : 0;
  }
#pragma unroll
  for (int turn = 0; turn < turns; ++turn) {
    const int row = first + turn * rows_at_once;
    if (row >= rows || (of_tile.mask[row] >> place & 1) == 0) continue;
    const int at = __popcll(of_tile.mask[row] & ((std::uint64_t{1} << place) - 1));
    of_tile.amount[row][at] = amount[turn];
    of_tile.place[row][at] = static_cast<unsigned char>(place);
  }
  __syncthreads();
  return true;
}

/// A number for each of two sides, each evaluated chunk and each term of a group. (The lanes'
/// numbers are in different banks.) Side 0 is for what passes to the right, A, and side 1 for B.
template <int own>
using OfTerms = double[2][evaluated_chunks(own)][group_terms + 1];

/// Finds the moments that are added to the states of each evaluated chunk on their way: to A from
/// the chunk two before it, to B from the chunk two after it. A moment is the sum of v exp(-a n),
/// with n = 2 for the chunk's last cell on the way. What lies outside the layer, [side][term], is
/// in the chunk next to it. A lane takes a term, from `first` on.
template <int own>
__device__ void add_up_moments(const TileSources<own>& sources, const Tables& t, int first,
                               std::int64_t first_chunk, std::int64_t chunks, const double* outside,
                               OfTerms<own>& moments) {
  const int term = first + lane();
  const auto moment = [&](int row, bool to_right) {
    if (term >= t.terms) return 0.0;
    double sum = 0;
#pragma unroll 4
    for (int i = 0; i < sources.count[row]; ++i) {
      const int place = sources.place[row][i];
      const int cells = to_right ? width - 1 - place : place;
      sum = fma(sources.amount[row][i], t.moment[cells * t.row + term], sum);
    }
    const bool is_outside = first_chunk + row == (to_right ? -1 : chunks);
    return is_outside ? outside[(to_right ? 0 : t.terms) + term] : sum;
  };
  for (int c = warp(); c < evaluated_chunks(own); c += tile_warps) {
    moments[0][c][lane()] = moment(c, true);
    moments[1][c][lane()] = moment(c + 2, false);
  }
}

}  // namespace bombard::cuda
