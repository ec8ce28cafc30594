#pragma once

// A row of cells in the registers of a block's threads, the same number in each: storms are added
// to them, they are relaxed, and peaks are found, with the digits of the kernels of those names.

#include <cstdint>

#include "kernels/layer/higher_peak.cuh"
#include "kernels/layer/rule.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/share/exact_share.cuh"

namespace bombard::cuda {

/// Threads of a block at most; multiples of 32.
inline constexpr int most_threads = 256;
inline constexpr int most_warps = most_threads / 32;

/// How n and the shares of a group of impacts are computed, from the quickest to the most general:
/// n by a straight line in floats; n by 32-bit integers; n by 64-bit integers and the share by the
/// compiler's IEEE operations.
enum Way : int { line, integer, any };

/// An impact as a tile's cells meet it. Cell c of the tile is n = |offset - c| + 1 away. Outside
/// the tile, while n is an exact float, n = slope * c + intercept with slope +1 (impact to the
/// left) or -1 (to the right).
struct alignas(16) SharedImpact {
  float slope, intercept, energy;
};

/// A storm's impacts in shared memory, a block's worth at a time. `way` says how each group is to
/// be added.
template <int group>
struct SharedImpacts {
  SharedImpact impact[most_threads];
  std::int64_t offset[most_threads];
  Way way[most_threads / group];
};

/// Below this a distance and what is added to it in a tile stay within 32 bits.
inline constexpr std::int64_t distances_in_32_bits = std::int64_t{1} << 30;

template <class Law>
__device__ Way way_for(std::int64_t offset, int tile_cells) {
  const bool outside = offset < 0 || offset >= tile_cells;
  const std::int64_t highest = (offset < 0 ? -offset : offset) + tile_cells + 1;
  const std::int64_t lowest = !outside ? 1 : offset < 0 ? 1 - offset : offset - tile_cells + 2;
  if (highest >= distances_in_32_bits || !ExactShare<Law>::holds(lowest, highest)) return any;
  return outside && highest <= largest_exact_distance ? line : integer;
}

/// Shares computed at once for the cells of a thread: their latencies overlap.
template <int cells>
constexpr int at_once = cells % 4 == 0   ? 4
                        : cells % 3 == 0 ? 3
                                         : cells;

template <bool all_count>
__device__ void add(float& value, float share, float smallest) {
  if (all_count || counts(share, smallest)) value += share;
}

/// Adds `group` impacts to the thread's cells along straight lines. The shares that fit the
/// registers together are computed at once: of several impacts for one cell, or of one impact for
/// several cells.
template <class Law, int cells, int group, bool all_count>
__device__ void add_along_lines(const LayerRule<Law>& rule, float (&value)[cells],
                                const SharedImpact (&hits)[group], float here) {
  if constexpr (cells == 1) {
    float energy[group];
    float n[group];
    float share[group];
#pragma unroll
    for (int g = 0; g < group; ++g) {
      energy[g] = hits[g].energy;
      n[g] = __fmaf_rn(hits[g].slope, here, hits[g].intercept);
    }
    ExactShare<Law>::of(rule.law, energy, n, share);
#pragma unroll
    for (int g = 0; g < group; ++g) add<all_count>(value[0], share[g], rule.smallest);
  } else {
#pragma unroll
    for (int g = 0; g < group; ++g) {
      const float n_here = __fmaf_rn(hits[g].slope, here, hits[g].intercept);
#pragma unroll
      for (int begin = 0; begin < cells; begin += at_once<cells>) {
        float energy[at_once<cells>];
        float n[at_once<cells>];
        float share[at_once<cells>];
#pragma unroll
        for (int i = 0; i < at_once<cells>; ++i) {
          const int c = begin + i;
          energy[i] = hits[g].energy;
          n[i] = c == 0 ? n_here : __fmaf_rn(hits[g].slope, static_cast<float>(c), n_here);
        }
        ExactShare<Law>::of(rule.law, energy, n, share);
#pragma unroll
        for (int i = 0; i < at_once<cells>; ++i) {
          add<all_count>(value[begin + i], share[i], rule.smallest);
        }
      }
    }
  }
}

/// Adds one impact whose distances from the thread's cells are counted in 32-bit integers.
template <class Law, int cells, bool all_count>
__device__ void add_by_integers(const LayerRule<Law>& rule, float (&value)[cells], int from_here,
                                float energy) {
#pragma unroll
  for (int begin = 0; begin < cells; begin += at_once<cells>) {
    float energies[at_once<cells>];
    float n[at_once<cells>];
    float share[at_once<cells>];
#pragma unroll
    for (int i = 0; i < at_once<cells>; ++i) {
      energies[i] = energy;
      n[i] = static_cast<float>(abs(from_here - (begin + i)) + 1);
    }
    ExactShare<Law>::of(rule.law, energies, n, share);
#pragma unroll
    for (int i = 0; i < at_once<cells>; ++i) {
      add<all_count>(value[begin + i], share[i], rule.smallest);
    }
  }
}

/// Puts the thread's impact into shared memory, and the way of each group of impacts. An index
/// beyond the end of the storm has an offset of 0, inside the tile: its group is added one by one.
template <class Law, int group>
__device__ void put(SharedImpacts<group>& shared, const ScaledImpact& impact,
                    std::int64_t tile_position, int tile_cells) {
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t offset = impact.position - tile_position;
  shared.impact[thread] = {offset < 0 ? 1.0F : -1.0F,
                           static_cast<float>(offset < 0 ? 1 - offset : offset + 1), impact.energy};
  shared.offset[thread] = offset;
  const Way way = way_for<Law>(offset, tile_cells);
  const unsigned by_integers = __ballot_sync(~0U, way >= integer);  // a bit for each impact
  const unsigned by_any = __ballot_sync(~0U, way == any);
  if (thread % group == 0) {
    const unsigned mine = ((1U << group) - 1) << (thread % 32);
    shared.way[thread / group] = (by_any & mine) != 0        ? any
                                 : (by_integers & mine) != 0 ? integer
                                                             : line;
  }
}

/// Adds impact number i of those in shared memory, by integers or any way.
template <class Law, int cells, bool all_count, int group>
__device__ void add_one(const LayerRule<Law>& rule, float (&value)[cells],
                        const SharedImpacts<group>& shared, int i, Way way, int here) {
  const float energy = shared.impact[i].energy;
  if (way == integer) {
    add_by_integers<Law, cells, all_count>(rule, value, static_cast<int>(shared.offset[i]) - here,
                                           energy);
  } else {
#pragma unroll
    for (int c = 0; c < cells; ++c) {
      const float n = distance(shared.offset[i], here + c);
      add<all_count>(value[c], rule.share(energy, n), rule.smallest);
    }
  }
}

/// Moves the impacts that reach the tile, of those that the block's threads have, one each, to the
/// first threads, in order; returns their number. All threads take part; those without an impact
/// have one without energy.
__device__ inline int keep_reaching(ScaledImpact& impact, std::int64_t tile_position,
                                    int tile_cells) {
  __shared__ ScaledImpact kept[most_threads];
  __shared__ int of_warp[most_warps];
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const bool reaches =
      impact.energy != 0 && reaches_cells(impact, impact.position - tile_position, tile_cells);
  const unsigned reaching = __ballot_sync(~0U, reaches);
  if (thread % 32 == 0) of_warp[warp] = __popc(reaching);
  __syncthreads();
  int place = __popc(reaching & ((1U << (thread % 32)) - 1));
  int count = 0;
  for (int w = 0; w < static_cast<int>(blockDim.x) / 32; ++w) {
    if (w < warp) place += of_warp[w];
    count += of_warp[w];
  }
  if (reaches) kept[place] = impact;
  __syncthreads();
  impact = thread < count ? kept[thread] : ScaledImpact{tile_position, 0.0F};
  return count;
}

/// Adds a storm's impacts [begin, end), which impact_at() tells by their numbers, to the thread's
/// cells, in order; the block's first cell is number `first` of the layer. While the block works on
/// those in shared memory, its threads fetch one each of those to come.
template <int cells, bool all_count, class Law, class ImpactAt>
__device__ void add_storm(float (&value)[cells], const LayerRule<Law>& rule,
                          const ImpactAt& impact_at, std::int64_t begin, std::int64_t end,
                          std::int64_t first) {
  constexpr int group = cells == 1 ? 8 : 4;
  __shared__ SharedImpacts<group> buffers[2];

  const int threads = static_cast<int>(blockDim.x);
  const int thread = static_cast<int>(threadIdx.x);
  const int tile_cells = threads * cells;
  const int here = thread * cells;
  const auto fetch = [&](std::int64_t from) {
    return from + thread < end ? impact_at(from + thread) : ScaledImpact{first, 0.0F};
  };

  int turn = 0;
  ScaledImpact next = fetch(begin);
  for (std::int64_t from = begin; from < end; from += threads, turn ^= 1) {
    const SharedImpacts<group>& shared = buffers[turn];
    int count = static_cast<int>(min(end - from, std::int64_t{threads}));
    if constexpr (!all_count) count = keep_reaching(next, first, tile_cells);
    // Warps without an impact of the round neither fetch nor put.
    if (thread / 32 * 32 < count) {
      put<Law>(buffers[turn], next, first, tile_cells);
    }
    __syncthreads();
    next = fetch(from + threads);
    for (int next_group = 0; next_group < count; next_group += group) {
      const Way way = shared.way[next_group / group];
      if (way == line) {
        SharedImpact hits[group];
#pragma unroll
        for (int g = 0; g < group; ++g) hits[g] = shared.impact[next_group + g];
        add_along_lines<Law, cells, group, all_count>(rule, value, hits, static_cast<float>(here));
        continue;
      }
      for (int i = next_group; i < min(next_group + group, count); ++i) {
        add_one<Law, cells, all_count>(rule, value, shared, i, way, here);
      }
    }
  }
}

/// The last cell of the thread to the left and the first of the thread to the right (its own at the
/// ends of the block). `buffer` alternates from call to call: then the barrier of one protects the
/// reads of the one before.
template <int cells>
__device__ float2 neighbours(const float (&value)[cells], int buffer) {
  __shared__ float first[2][most_warps], last[2][most_warps];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane == 0) first[buffer][warp] = value[0];
  if (lane == 31) last[buffer][warp] = value[cells - 1];
  float left = __shfl_up_sync(~0U, value[cells - 1], 1);
  float right = __shfl_down_sync(~0U, value[0], 1);
  __syncthreads();
  if (lane == 0 && warp > 0) left = last[buffer][warp - 1];
  if (lane == 31 && warp + 1 < static_cast<int>(blockDim.x) / 32) right = first[buffer][warp + 1];
  return {left, right};
}

__device__ inline float largest_of_warp(float value) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    value = fmaxf(value, __shfl_xor_sync(~0U, value, lanes));
  }
  return value;
}

/// Bits begin .. end-1, as far as they are among the first `cells`.
template <int cells>
__device__ unsigned cells_between(std::int64_t begin, std::int64_t end) {
  const auto first = static_cast<int>(min(max(begin, std::int64_t{0}), std::int64_t{cells}));
  const auto last = static_cast<int>(min(max(end, std::int64_t{0}), std::int64_t{cells}));
  return ((1U << last) - 1) & ~((1U << first) - 1);
}

/// Relaxes the thread's cells, those of `interior`, a bit for each.
template <int cells>
__device__ void relax(float (&value)[cells], unsigned interior) {
  const float2 beside = neighbours(value, 0);
  float relaxed[cells];
#pragma unroll
  for (int c = 0; c < cells; ++c) {
    relaxed[c] =
        (c > 0 ? value[c - 1] : beside.x) + value[c] + (c + 1 < cells ? value[c + 1] : beside.y);
  }
  thirds(relaxed);
#pragma unroll
  for (int c = 0; c < cells; ++c) {
    if (interior >> c & 1) value[c] = relaxed[c];
  }
}

/// The warp's highest peak among its cells of `reported` goes to `of_warp`. k0 is the index of the
/// thread's first cell.
template <int cells>
__device__ void find_peak(const float (&value)[cells], unsigned reported, std::int64_t k0,
                          IndexedValue& of_warp) {
  const float2 beside = neighbours(value, 1);
  float largest = 0;
  unsigned peaks = 0;
#pragma unroll
  for (int c = 0; c < cells; ++c) {
    // A neighbour that is not a number leaves no peak: no fmaxf() of the two, which ignores it.
    const float left = c > 0 ? value[c - 1] : beside.x;
    const float right = c + 1 < cells ? value[c + 1] : beside.y;
    if ((reported >> c & 1) && value[c] > left && value[c] > right) {
      largest = fmaxf(largest, value[c]);
      peaks |= 1U << c;
    }
  }
  // Lanes hold ascending cells: the first lane with the warp's largest has the first of equals.
  const float of_all = largest_of_warp(largest);
  const unsigned leaders = __ballot_sync(~0U, largest == of_all);
  if (static_cast<int>(threadIdx.x) % 32 == __ffs(static_cast<int>(leaders)) - 1) {
    std::int64_t index = -1;
#pragma unroll
    for (int c = cells - 1; c >= 0; --c) {
      if ((peaks >> c & 1) && value[c] == largest) index = k0 + c;
    }
    of_warp = {largest, index};
  }
}

}  // namespace bombard::cuda
