#pragma once

// A row of cells in the registers of a block's threads, the same number in each thread: a storm is
// added to them, they are relaxed, and peaks are found, all bit-identical to the kernels that do
// the same.

#include <cstdint>

#include "bombard/storm.hpp"
#include "kernels/base/indexed_value.hpp"
#include "kernels/device/warp.cuh"
#include "kernels/layer/rule.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/layer/staged_impact.cuh"

namespace bombard::cuda {

/// The most threads of a block; their number is always a multiple of 32.
inline constexpr int most_threads = 256;
inline constexpr int most_warps = most_threads / lanes_of_warp;

/// Impacts in shared memory, one for each thread of the block, and for each group of them the type
/// of its distances. Aligned so that two impacts are loaded at once.
template <int group>
struct alignas(2 * sizeof(StagedImpact)) SharedImpacts {
  StagedImpact impact[most_threads];
  std::int64_t offset[most_threads];
  DistanceType type[most_threads / group];
};

/// Adds impacts of these energies to the thread's cells; n(i, c) is the distance of impact i from
/// cell c. All shares are computed together, so that their latencies overlap.
template <bool every_share_counts, int impacts, int cells, class Distance>
__device__ void add_shares(float smallest, float (&value)[cells], const float* energies,
                           const Distance& n) {
  constexpr int count = impacts * cells;
  float energy[count];
  float distance[count];
  float share[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    energy[i] = energies[i / cells];
    distance[i] = n(i / cells, i % cells);
  }
  exact_shares(energy, distance, share);
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if (every_share_counts || counts(share[i], smallest)) value[i % cells] += share[i];
  }
}

/// Puts the thread's impact into shared memory, and also the type of each group's distances.
template <int group>
__device__ void put(SharedImpacts<group>& shared, const LayerRule& rule, const Impact& impact,
                    std::int64_t tile_position, int tile_cells) {
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t offset = impact.position - tile_position;
  shared.impact[thread] = {static_cast<float>(offset), rule.energy(impact.energy)};
  shared.offset[thread] = offset;
  int type = distance_type(offset, tile_cells);  // then becomes the most general one in the group
#pragma unroll
  for (int lanes = 1; lanes < group; lanes *= 2) {
    type = max(type, __shfl_xor_sync(all_lanes, type, lanes));
  }
  if (thread % group == 0) shared.type[thread / group] = static_cast<DistanceType>(type);
}

/// Adds the group of impacts in shared memory that begins with number `first`, with distances as
/// floats: for one cell, all of them at once; for several, one after another.
template <bool every_share_counts, int cells, int group>
__device__ void add_group(float smallest, float (&value)[cells], const SharedImpacts<group>& shared,
                          int first, int here) {
  constexpr int at_once = cells == 1 ? group : 1;
  float energy[group];
  float from_here[group];
#pragma unroll
  for (int i = 0; i < group; ++i) {
    const StagedImpact impact = shared.impact[first + i];
    energy[i] = impact.energy;
    from_here[i] = impact.offset - static_cast<float>(here);
  }
#pragma unroll
  for (int begin = 0; begin < group; begin += at_once) {
    add_shares<every_share_counts, at_once>(smallest, value, energy + begin, [&](int i, int c) {
      return fabsf(from_here[begin + i] - static_cast<float>(c)) + 1.0F;
    });
  }
}

/// Adds impact number i of those in shared memory, with distances of this type.
template <bool every_share_counts, int cells, int group>
__device__ void add_one(const LayerRule& rule, float (&value)[cells],
                        const SharedImpacts<group>& shared, int i, DistanceType type, int here) {
  const float energy = shared.impact[i].energy;
  if (type != as_int64) {
    const int from_here = static_cast<int>(shared.offset[i]) - here;
    add_shares<every_share_counts, 1>(rule.smallest, value, &energy, [&](int, int c) {
      return static_cast<float>(abs(from_here - c) + 1);
    });
    return;
  }
#pragma unroll
  for (int c = 0; c < cells; ++c) {
    const float share = rule.share(energy, distance(shared.offset[i], here + c));
    if (every_share_counts || counts(share, rule.smallest)) value[c] += share;
  }
}

/// Adds a storm's impacts to the thread's cells, in order; the block's first cell is cell `first`
/// of the layer. While the block works on the impacts in shared memory, each thread fetches one of
/// the next round.
template <bool every_share_counts, int cells>
__device__ void add_storm(float (&value)[cells], const LayerRule& rule, const Impact* impacts,
                          std::int64_t count, std::int64_t first) {
  constexpr int group = cells == 1 ? 8 : 4;
  __shared__ SharedImpacts<group> buffers[2];

  const int threads = static_cast<int>(blockDim.x);
  const int thread = static_cast<int>(threadIdx.x);
  const int here = thread * cells;
  Impact next;
  const auto fetch = [&](std::int64_t from) {
    // Behind the last one, impacts of zero energy in the tile.
    next = from + thread < count ? impacts[from + thread] : Impact{first, 0};
  };

  int turn = 0;
  fetch(0);
  for (std::int64_t from = 0; from < count; from += threads, turn ^= 1) {
    const SharedImpacts<group>& shared = buffers[turn];
    const int fetched = static_cast<int>(min(count - from, std::int64_t{threads}));
    // Warps without an impact in this round write nothing to shared memory.
    if (warp() * lanes_of_warp < fetched) {
      put(buffers[turn], rule, next, first, threads * cells);
    }
    __syncthreads();
    fetch(from + threads);
    for (int begin = 0; begin < fetched; begin += group) {
      const DistanceType type = shared.type[begin / group];
      if (type == as_float && begin + group <= fetched) {
        add_group<every_share_counts>(rule.smallest, value, shared, begin, here);
        continue;
      }
#pragma unroll 1  // rare; unrolling it would slow the common case above by a tenth
      for (int i = begin; i < min(begin + group, fetched); ++i) {
        add_one<every_share_counts>(rule, value, shared, i, type, here);
      }
    }
  }
}

/// The last cell of the thread to the left and the first of the thread to the right (its own cells
/// at the ends of the block). `buffer` must alternate from call to call: then the barrier in one
/// call protects the reads of the call before.
template <int cells>
__device__ float2 neighbours(const float (&value)[cells], int buffer) {
  __shared__ float first[2][most_warps], last[2][most_warps];
  if (lane() == 0) first[buffer][warp()] = value[0];
  if (lane() == lanes_of_warp - 1) last[buffer][warp()] = value[cells - 1];
  float left = __shfl_up_sync(all_lanes, value[cells - 1], 1);
  float right = __shfl_down_sync(all_lanes, value[0], 1);
  __syncthreads();
  const int warps = static_cast<int>(blockDim.x) / lanes_of_warp;
  if (lane() == 0 && warp() > 0) left = last[buffer][warp() - 1];
  if (lane() == lanes_of_warp - 1 && warp() + 1 < warps) right = first[buffer][warp() + 1];
  return {left, right};
}

/// A mask of the bits begin .. end-1, as far as they are among the first `cells` bits.
template <int cells>
__device__ unsigned cells_between(std::int64_t begin, std::int64_t end) {
  const auto first = static_cast<int>(min(max(begin, std::int64_t{0}), std::int64_t{cells}));
  const auto last = static_cast<int>(min(max(end, std::int64_t{0}), std::int64_t{cells}));
  return ((1U << last) - 1) & ~((1U << first) - 1);
}

/// Relaxes those of the thread's cells whose bit in `interior` is set.
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

/// The highest peak among the thread's cells whose bit in `reported` is set. k0 is the index of its
/// first cell.
template <int cells>
__device__ IndexedValue highest_peak(const float (&value)[cells], unsigned reported,
                                     std::int64_t k0) {
  const float2 beside = neighbours(value, 1);
  float highest = 0;
  int cell = -1;  // within the thread: takes one register less than an index in the layer
#pragma unroll
  for (int c = 0; c < cells; ++c) {
    // Next to NaN there is no peak. So fmaxf(left, right), which ignores NaN, would be wrong here.
    const float left = c > 0 ? value[c - 1] : beside.x;
    const float right = c + 1 < cells ? value[c + 1] : beside.y;
    if ((reported >> c & 1) && value[c] > left && value[c] > right && value[c] > highest) {
      highest = value[c];
      cell = c;
    }
  }
  return {highest, cell < 0 ? -1 : k0 + cell};
}

}  // namespace bombard::cuda
