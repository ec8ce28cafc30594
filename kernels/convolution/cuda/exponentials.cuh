#pragma once

// The sums of a tile where the attenuation is too steep for polynomials (docs/roundings.md, Steep
// attenuations): all that is added is an amount times the exponential, or the attenuation, itself,
// so that no rounding counts more than once. States are relative to the end of the chunk before:
// a source `cells` before it adds exp(-a (cells + 2)), and none of these numbers is above 1.

#include <cstdint>

#include "kernels/convolution/cuda/far.cuh"
#include "kernels/convolution/cuda/matrix_fragment.cuh"
#include "kernels/convolution/cuda/moments.cuh"
#include "kernels/convolution/cuda/near.cuh"
#include "kernels/convolution/cuda/shape.cuh"

namespace bombard::cuda {

/// The sum that a chunk adds to the state of one side and term, item = side terms + term: its
/// sources, whose bits are set, or what lies outside the layer.
template <class Outside, class Amount>
__device__ double added_to_state(const Terms& t, const SourceArray<Outside>& sources,
                                 std::int64_t chunk, std::uint64_t mask, const Amount* amount,
                                 int item) {
  const bool to_right = item < t.terms;
  if (chunk == (to_right ? -1 : t.chunks)) return sources.outside[item];
  const double* const from_source = t.from_source + item % t.terms;
  double sum = 0;
  for (; mask != 0; mask &= mask - 1) {
    const int j = __ffsll(static_cast<long long>(mask)) - 1;
    const int cells = to_right ? width - 1 - j : j;
    sum = fma(static_cast<double>(amount[j]), from_source[cells * t.terms], sum);
  }
  return sum;
}

/// The same as gather(), by a block.
template <class Amount>
__device__ void gather_exponentials(const Terms& t, const SourceArray<Amount>& sources,
                                    std::int64_t tile, const States& states) {
  __shared__ std::uint64_t masks[seen_chunks];
  const std::int64_t first = tile * tile_chunks;
  share_masks(mask_of_chunk(sources.mask, first, t.chunks, static_cast<int>(threadIdx.x)), masks);
  if (threadIdx.x == 0) states.adds[tile] = true;
  for (int item = threadIdx.x; item < 2 * t.terms; item += tile_threads) {
    const double decay = t.decay[t.terms + item % t.terms];
    double state = 0;
    for (int step = 0; step < tile_chunks; ++step) {
      const int row = item < t.terms ? step : seen_chunks - 1 - step;
      const std::int64_t chunk = first - 2 + row;
      const Amount* const amount = masks[row] != 0 ? sources.of_chunk(chunk) : nullptr;
      state = fma(state, decay, added_to_state(t, sources, chunk, masks[row], amount, item));
    }
    states.of_tiles[tile * 2 * t.terms + item] = state;
  }
}

// Parts of a sum are here those of the cells, 0, and of their mirror images, 1, which come in
// falling order of the cells.

/// Adds what the states bring (pass_states()).
__device__ inline void add_states(const Scratch& scratch, const Terms& t, const Fragment& at,
                                  int warp, Parts& sum) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
  for (int eighth = 0; eighth < eights_of(t.terms); ++eighth) {
    const double2* const to_cells = t.to_cells + (eighth * tile_warps + warp) * 2 * 32 + lane;
    const double2 own = to_cells[0];
    const double2 mirrored = to_cells[32];
    double right[row_blocks][2];
    double left[row_blocks][2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      // Behind the last term any state will do: it is multiplied by 0.
      const int term = min(8 * eighth + 4 * half + at.inner, t.terms - 1);
#pragma unroll
      for (int block = 0; block < row_blocks; ++block) {
        const int row = min(8 * block + at.row, evaluated_chunks - 1);
        right[block][half] = scratch.right[row * t.terms + term];
        left[block][half] = scratch.left[(row + 2) * t.terms + term];
      }
    }
    sum.multiply_add(right, {own.x, own.y}, 0);
    sum.multiply_add(right, {mirrored.x, mirrored.y}, 1);
    sum.multiply_add(left, {mirrored.x, mirrored.y}, 0);
    sum.multiply_add(left, {own.x, own.y}, 1);
  }
}

/// Adds what near impacts bring, as add_many_near_impacts() without mirrored sums.
__device__ inline void add_near_impacts(const Scratch& scratch, const Fragment& at, int warp,
                                        Parts& sum) {
  const int j = 8 * warp + at.row;
  const double* const to_cells = scratch.half_near + 3 * width + j - at.inner;
  const double* const to_mirrored = scratch.half_near + 4 * width - 1 - j - at.inner;
#pragma unroll 1
  for (int p = 0; p < 3 * width; p += 8) {
    double twice[row_blocks][2];
#pragma unroll
    for (int block = 0; block < row_blocks; ++block) {
      const int row = min(8 * block + at.row, evaluated_chunks - 1) + p / width;
      const double* const strength = scratch.strength + row * pitch + p % width + at.inner;
      twice[block][0] = 2 * strength[0];
      twice[block][1] = 2 * strength[4];
    }
    sum.multiply_add(twice, {to_cells[-p], to_cells[-p - 4]}, 0);
    sum.multiply_add(twice, {to_mirrored[-p], to_mirrored[-p - 4]}, 1);
  }
}

/// The sums of one field in the thread's cells.
template <class Amount>
__device__ OfCells sums_by_exponentials(const Scratch& scratch, const Terms& t,
                                        const SourceArray<Amount>& sources, const States& states,
                                        std::int64_t tile, const Ahead& ahead) {
  const std::int64_t first = tile * tile_chunks;
  const bool any_near = share_masks(ahead.mask, scratch.mask);
  if (any_near) load_sources(scratch, t.half_near, sources, first, ahead.mask);
  for (int item = threadIdx.x; item < 2 * t.terms; item += tile_threads) {
    double* const added = (item < t.terms ? scratch.right : scratch.left) + item % t.terms;
    for (int row = 0; row < seen_chunks; ++row) {
      added[row * t.terms] = added_to_state(t, sources, first - 2 + row, scratch.mask[row],
                                            scratch.strength + row * pitch, item);
    }
  }
  // A thread passes on what it has added itself.
  pass_states(scratch, t, states, tile, ahead);
  __syncthreads();
  const Fragment at;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  Parts sum{};
  add_states(scratch, t, at, warp, sum);
  if (any_near) add_near_impacts(scratch, at, warp, sum);
  OfCells cells;
#pragma unroll
  for (int block = 0; block < row_blocks; ++block) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      cells.of[block][0][i] = sum.of[block][0][i];
      cells.of[block][1][1 - i] = sum.of[block][1][i];
    }
  }
  return cells;
}

}  // namespace bombard::cuda
