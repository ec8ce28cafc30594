#pragma once

// What the impacts of each tile add to the states that enter others (docs/methods.md, The
// convolution).

#include <cstdint>

#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/convolution/cuda/moments.cuh"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

/// The tiles that see any of few deposits, and those at the ends, where something may lie outside.
struct NearTiles {
  bool all;  ///< all tiles are meant
  const Impact* deposits;
  std::int64_t count;
  unsigned* taken_by;  ///< [tile]: the number that took it; nullptr: nobody asks

  static constexpr std::int64_t ends = 3;
  /// What lies behind the last chunk may be seen from the last tile but one, too.
  __device__ static bool at_end(std::int64_t tile, std::int64_t tiles) {
    return tile == 0 || tile + 2 >= tiles;
  }

  __host__ __device__ std::int64_t size(std::int64_t tiles) const {
    return all ? tiles : 3 * count + ends;
  }
  /// Tile number i, i < size(). Some come up more than once; below 0 is none.
  __device__ std::int64_t operator()(std::int64_t i, std::int64_t tiles) const {
    if (all) return i;
    if (i >= 3 * count) return i == 3 * count ? 0 : tiles - (i - 3 * count);
    const std::int64_t cell = deposits[i / 3].position + first_cell;
    if (cell < 0 || cell >= tiles * tile_cells) return -1;
    constexpr int beside = (seen_chunks - tile_chunks) / 2 * width;
    const auto in_tile = static_cast<int>(cell % tile_cells);
    const std::int64_t tile = cell / tile_cells;
    switch (i % 3) {
      case 0:
        return in_tile < beside ? tile - 1 : -1;
      case 1:
        return tile;
      default:
        return in_tile >= tile_cells - beside && tile + 1 < tiles ? tile + 1 : -1;
    }
  }

  /// Of all numbers that take a tile, whenever that is, one took it at last.
  __device__ void take(std::int64_t tile, std::int64_t i) const {
    if (taken_by != nullptr) atomicExch(taken_by + tile, static_cast<unsigned>(i));
  }
  __device__ bool took(std::int64_t tile, std::int64_t i) const {
    return taken_by == nullptr || taken_by[tile] == static_cast<unsigned>(i);
  }
};

/// Marks the runs that these tiles lie in, and empties their states: one block for each field
/// and tile.
static __global__ void __launch_bounds__(tile_threads)
    start_runs_kernel(const NearTiles near, const States states, unsigned* active) {
  follow_previous();
  const std::int64_t size = near.size(states.tiles);
  const std::int64_t tile = near(blockIdx.x % size, states.tiles);
  if (tile < 0) return;
  const std::int64_t field = blockIdx.x / size;
  const int terms = states.terms;
  double* const of_field = states.of_tiles + field * 2 * terms * states.tiles;
  for (int side = 0; side < 2; ++side) {
    const std::int64_t run = (side == 0 ? tile : states.tiles - 1 - tile) / run_tiles;
    __shared__ bool marked;
    if (threadIdx.x == 0) {
      const unsigned mark = 1U << field;
      marked = (atomicOr(active + side * runs_of(states.tiles) + run, mark) & mark) != 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; !marked && i < run_tiles * terms; i += tile_threads) {
      const std::int64_t on_the_way = run * run_tiles + i / terms;
      if (on_the_way >= states.tiles) continue;
      const std::int64_t place = side == 0 ? on_the_way : states.tiles - 1 - on_the_way;
      of_field[(2 * place + side) * terms + i % terms] = 0;
    }
    __syncthreads();
  }
}

/// The moments of the seen chunks from the impacts in memory. `mask` is that of the lane's chunk.
template <int warps, class Amount>
__device__ void moments_of_tile(const Terms& t, const SourceArray<Amount>& sources,
                                std::int64_t first_chunk, std::uint64_t mask, double* moment) {
  const Fragment at;
  const SixteenRows part;
#pragma unroll
  for (int first_row = 0; first_row < seen_chunks; first_row += 16) {
    const std::uint64_t hit[2] = {__shfl_sync(~0U, mask, first_row + at.row),
                                  __shfl_sync(~0U, mask, first_row + 8 + at.row)};
    const std::int64_t chunk = first_chunk - 2 + first_row + at.row;
    const Amount* const amount[2] = {hit[0] != 0 ? sources.of_chunk(chunk) : nullptr,
                                     hit[1] != 0 ? sources.of_chunk(chunk + 8) : nullptr};
    const auto strengths = [&](int eight, int j) {
      const auto both = static_cast<unsigned>(hit[eight] >> j & 3);
      return TwoAmounts<Amount>::load(amount[eight] + j, both).strengths(both);
    };
    if constexpr (warps == 1) {
      chunk_moments<2>(t.powers, first_row, even, strengths, moment);
    } else if (first_row == part.first) {
      chunk_moments<1>(t.powers, first_row, part.parity, strengths, moment);
    }
  }
  if constexpr (warps == 1) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

/// What chunks add to the states of two terms that leave the tile.
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

/// What a tile's impacts add to the states that enter its neighbours, [side][term]: to the right
/// those of chunks first - 2 .. end - 3, to the left those of first + 2 .. end + 1 (the state that
/// enters a tile is that of its first evaluated chunk, from two chunks before it on). So many warps
/// take a tile, `warp` is this one; `moment` is the tile's room for moments.
template <int warps, class Amount>
__device__ void gather(const Terms& t, const SourceArray<Amount>& sources, std::int64_t tile,
                       int warp, double* moment, double* states) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Fragment at;
  const std::int64_t first = tile * tile_chunks;
  states += tile * 2 * t.terms;
  const std::uint64_t mask = mask_of_chunk(sources.mask, first, t.chunks, lane);
  const bool any = __any_sync(~0U, mask != 0) != 0;
  if (!any && !t.at_end(first)) {
    for (int item = 32 * warp + lane; item < 2 * t.terms; item += 32 * warps) states[item] = 0;
    return;
  }
  moments_of_tile<warps>(t, sources, first, mask, moment);
  const MomentFragment moments[2][2] = {{{moment, at.row}, {moment, 8 + at.row}},
                                        {{moment, 16 + at.row}, {moment, 24 + at.row}}};
  const bool at_end = t.at_end(first);
  for (int term_block = warp; 8 * term_block < t.terms; term_block += warps) {
    const int term = 8 * term_block + at.column;
    const bool upper = at.row >= 4;
    const double2 sum =
        sum_over_rows(leaving_lane(t, sources, first, term_block, moments, at_end), upper);
    if (at.row % 4 == 0 && term < t.terms) {
      *reinterpret_cast<double2*>(states + (upper ? t.terms : 0) + term) = sum;
    }
  }
}

/// One warp of a block for each tile, or all of them, storm after storm, for the energies and then
/// for the uncertainties, if those are wanted, too: states are [storm][field][tile][side][term].
constexpr int resident_gathering_blocks = 4;  // measured on an H200: docs/journal.md
template <int warps>
__global__ void __launch_bounds__(tile_threads, resident_gathering_blocks)
    gather_kernel(const Terms t, const NearTiles near, std::int64_t storms, int fields,
                  const SourceArray<std::int64_t> energies, const SourceArray<double> uncertainties,
                  double* states) {
  static_assert(warps == 1 || warps == tile_warps);
  follow_previous();
  constexpr int tiles = tile_warps / warps;
  __shared__ double moment[tiles][2 * seen_chunks * parity_coefficients];
  const int warp = static_cast<int>(threadIdx.x) / 32 % warps;
  const int place = static_cast<int>(threadIdx.x) / (32 * warps);
  const std::int64_t size = near.size(t.tiles);
  const std::int64_t i = std::int64_t{blockIdx.x} * tiles + place;
  if (i >= storms * fields * size) return;
  const std::int64_t tile = near(i % size, t.tiles);
  if (tile < 0) return;
  if (threadIdx.x % (32 * warps) == 0) near.take(tile, i);
  const std::int64_t storm = i / size / fields;
  states += i / size * 2 * t.terms * t.tiles;
  if (i / size % fields == 0) {
    gather<warps>(t, energies.of_storm(storm, t.chunks), tile, warp, moment[place], states);
  } else {
    gather<warps>(t, uncertainties.of_storm(storm, t.chunks), tile, warp, moment[place], states);
  }
}

}  // namespace bombard::cuda
