#pragma once

// Shares one by one: those of deposits that end, in the cells that count of the chunk where they
// end, and in all cells that count where they are no sources (source_ends.cuh).

#include <cstdint>

#include "kernels/convolution/cuda/far.cuh"
#include "kernels/convolution/cuda/relax.cuh"
#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/convolution/cuda/source_ends.cuh"

namespace bombard::cuda {

/// The parts of the lists whose deposits may count in one chunk.
struct EndsNearChunk {
  EndLists::Range of_list[end_lists];

  __device__ EndsNearChunk(const EndLists& ends, std::int64_t chunk)
      : of_list{ends.of_chunks(End::right, chunk, chunk + 1),
                ends.of_chunks(End::left, chunk, chunk + 1),
                // No farther than that from their own: else they were sources.
                ends.of_chunks(End::near, chunk - 2, chunk + 3)} {}

  /// Those of a lane of the warp.
  __device__ EndsNearChunk of_lane(int lane) const {
    EndsNearChunk there = *this;
    for (EndLists::Range& range : there.of_list) {
      range.begin = __shfl_sync(~0U, range.begin, lane);
      range.end = __shfl_sync(~0U, range.end, lane);
    }
    return there;
  }
};

/// Adds the shares to a tile's sums in shared memory, which all threads have written there; those
/// of uncertainties, too, if tracked, and then what the roundings of the sums add to them. A warp
/// takes every fourth evaluated chunk, a lane two cells of it.
template <bool tracked>
__device__ void add_end_shares(const Scratch& scratch, const EndLists& ends, const Cells& cells,
                               std::int64_t tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t first = tile * tile_chunks - 1;
  const EndsNearChunk of_lane(ends, first + lane);
  static_assert(evaluated_chunks <= 32);
  for (int row = static_cast<int>(threadIdx.x) / 32; row < evaluated_chunks; row += tile_warps) {
    const EndsNearChunk near = of_lane.of_lane(row);
    const std::int64_t cell = (first + row) * width + 2 * lane;
    CompensatedSum sum[2];
    CompensatedSum off[2];
    unsigned longest = 0;
    for (const EndLists::Range& range : near.of_list) longest = max(longest, range.size());
    for (unsigned i = 0; i < longest; ++i) {
      // One of each list together: memory answers to all of them in the same time.
      EndingDeposit deposit[end_lists];
#pragma unroll
      for (int list = 0; list < end_lists; ++list) {
        const EndLists::Range& range = near.of_list[list];
        deposit[list] = i < range.size() ? ends.deposits[range.begin + i] : EndingDeposit{};
      }
      double share[end_lists][2];
#pragma unroll
      for (int list = 0; list < end_lists; ++list) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          const std::int64_t distance = llabs(deposit[list].position - (cell + c)) + 1;
          share[list][c] = distance > deposit[list].reach ? 0.0 : ends.shares.at(distance);
        }
      }
#pragma unroll
      for (int list = 0; list < end_lists; ++list) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          sum[c].add(static_cast<double>(deposit[list].energy) * share[list][c]);
          if constexpr (tracked) off[c].add(ends.off(deposit[list]) * share[list][c]);
        }
      }
    }
    double* const value = scratch.value + row * pitch + 2 * lane;
    double* const uncertainty = scratch.uncertainty + row * pitch + 2 * lane;
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      value[c] += sum[c].value();
      if constexpr (tracked) uncertainty[c] += off[c].value() + cells.rounding * fabs(value[c]);
    }
  }
}

}  // namespace bombard::cuda
