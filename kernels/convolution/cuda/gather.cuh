#pragma once

// The sums that the impacts of each tile add to the states that enter others (docs/methods.md, The
// fast layer).

#include <cstdint>

#include "kernels/convolution/cuda/moments.cuh"

namespace bombard::cuda {

/// The moments of the seen chunks from the impacts in memory, by a warp. `mask` belongs to the
/// lane's chunk.
template <class Amount>
__device__ void moments_of_tile(const Terms& t, const SourceArray<Amount>& sources,
                                std::int64_t first_chunk, std::uint64_t mask, double* moment) {
  const Fragment at;
#pragma unroll
  for (int first_row = 0; first_row < seen_chunks; first_row += 16) {
    const std::uint64_t hit[2] = {__shfl_sync(~0U, mask, first_row + at.row),
                                  __shfl_sync(~0U, mask, first_row + 8 + at.row)};
    const std::int64_t chunk = first_chunk - 2 + first_row + at.row;
    const Amount* const amount[2] = {hit[0] != 0 ? sources.of_chunk(chunk) : nullptr,
                                     hit[1] != 0 ? sources.of_chunk(chunk + 8) : nullptr};
    chunk_moments<2>(
        t.powers, first_row, even,
        [&](int eight, int j) {
          const auto both = static_cast<unsigned>(hit[eight] >> j & 3);
          return TwoAmounts<Amount>::load(amount[eight] + j, both).strengths(both);
        },
        moment);
  }
  __syncwarp();
}

/// The sums that chunks add to the states of two terms that leave the tile.
struct LeavingPair {
  double2 to_right{}, to_left{};
};

/// The part of it that the lane's chunks add, those of rows at.row, at.row + 8, ..: what each adds
/// decays on its way to the next tile. `moments` is [pair of rows][row].
template <class Amount>
__device__ LeavingPair leaving_lane(const Terms& t, const SourceArray<Amount>& sources,
                                    std::int64_t first_chunk, int term_block,
                                    const MomentFragment (&moments)[2][2], bool at_end) {
  const Fragment at;
  const int term = 8 * term_block + at.column;
  const bool there = term < t.terms;
  const double* const from_row = t.decay + at.column;
  LeavingPair leaving;
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    // Asked for before the product that they are multiplied with.
    double2 decay_right[2];
    double2 decay_left[2];
    const auto decay_over = [&](int chunks) {
      if (chunks < 0 || !there) return double2{0, 0};
      return *reinterpret_cast<const double2*>(from_row + chunks * t.terms + 8 * term_block);
    };
#pragma unroll
    for (int eight = 0; eight < 2; ++eight) {
      const int row = 8 * (2 * pair + eight) + at.row;
      decay_right[eight] = decay_over(tile_chunks - 1 - row);
      decay_left[eight] = decay_over(row - (seen_chunks - tile_chunks));
    }
    double2 right[2];
    double2 left[2];
    exponential_moments(t.shape, moments[pair], term_block, right, left);
#pragma unroll
    for (int eight = 0; eight < 2; ++eight) {
      const int row = 8 * (2 * pair + eight) + at.row;
      if (at_end && there) {
        add_outside(t, sources, first_chunk - 2 + row, term, right[eight], left[eight]);
      }
      leaving.to_right.x = fma(decay_right[eight].x, right[eight].x, leaving.to_right.x);
      leaving.to_right.y = fma(decay_right[eight].y, right[eight].y, leaving.to_right.y);
      leaving.to_left.x = fma(decay_left[eight].x, left[eight].x, leaving.to_left.x);
      leaving.to_left.y = fma(decay_left[eight].y, left[eight].y, leaving.to_left.y);
    }
  }
  return leaving;
}

/// Adds up what the lanes of all rows have for the same two terms. Half of the sums go to each half
/// of the lanes: the upper ones get those to the left, the others those to the right.
__device__ inline double2 sum_over_rows(const LeavingPair& leaving, bool upper) {
  const double2 give = upper ? leaving.to_right : leaving.to_left;
  double2 sum = upper ? leaving.to_left : leaving.to_right;
  sum.x += __shfl_xor_sync(~0U, give.x, 16);
  sum.y += __shfl_xor_sync(~0U, give.y, 16);
#pragma unroll
  for (int lanes = 8; lanes >= 4; lanes /= 2) {
    sum.x += __shfl_xor_sync(~0U, sum.x, lanes);
    sum.y += __shfl_xor_sync(~0U, sum.y, lanes);
  }
  return sum;
}

/// The sums that a tile's impacts add to the states that enter its neighbours, [side][term]: to the
/// right those of chunks first - 2 .. end - 3, to the left those of first + 2 .. end + 1 (the state
/// that enters a tile is the state of its first evaluated chunk, from two chunks before it on). By
/// a warp; `moment` is its room for moments.
template <class Amount>
__device__ void gather(const Terms& t, const SourceArray<Amount>& sources, std::int64_t tile,
                       double* moment, const States& states) {
  const Fragment at;
  const std::int64_t first = tile * tile_chunks;
  double* const own = states.of_tiles + tile * 2 * t.terms;
  const bool at_end = t.at_end(first);
  const std::uint64_t mask =
      mask_of_chunk(sources.mask, first, t.chunks, static_cast<int>(threadIdx.x) % 32);
  moments_of_tile(t, sources, first, mask, moment);
  const MomentFragment moments[2][2] = {{{moment, at.row}, {moment, 8 + at.row}},
                                        {{moment, 16 + at.row}, {moment, 24 + at.row}}};
  for (int term_block = 0; 8 * term_block < t.terms; ++term_block) {
    const int term = 8 * term_block + at.column;
    const bool upper = at.row >= 4;
    const double2 sum =
        sum_over_rows(leaving_lane(t, sources, first, term_block, moments, at_end), upper);
    if (at.row % 4 == 0 && term < t.terms) {
      *reinterpret_cast<double2*>(own + (upper ? t.terms : 0) + term) = sum;
    }
  }
}

}  // namespace bombard::cuda
