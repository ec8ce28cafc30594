#pragma once

// A row of cells in the registers of a block's threads, the same number in each thread: storms are
// added to them, they are relaxed, and peaks are found, all bit-identical to the kernels that do
// the same.

#include <cstdint>

#include "bombard/storm.hpp"
#include "kernels/reduction/highest_peak.cuh"
#include "kernels/layer/rule.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/layer/staged_impact.cuh"
#include "kernels/share/reach.hpp"

namespace bombard::cuda {

/// The most threads of a block; their number is always a multiple of 32.
inline constexpr int most_threads = 256;
inline constexpr int most_warps = most_threads / 32;

/// A storm's impacts in shared memory, one for each thread of the block at a time, and for each
/// group of them the type of its distances.
template <int group>
struct SharedImpacts {
  StagedImpact impact[most_threads];
  std::int64_t offset[most_threads];
  DistanceType type[most_threads / group];
};

template <bool all_count>
__device__ void add(float& value, float share, float smallest) {
  if (all_count || counts(share, smallest)) value += share;
}

/// Adds impacts of these energies to the thread's cells; n(i, c) is the distance of impact i from
/// cell c. As many shares as fit into the registers are computed together, so that their latencies
/// overlap: those of several impacts for one cell, or of one impact for several cells.
template <bool all_count, class Law, int cells, int impacts, class Distance>
__device__ void add_shares(const LayerRule<Law>& rule, float (&value)[cells],
                           const float (&energies)[impacts], const Distance& n) {
  constexpr int cells_at_once = cells % 4 == 0 ? 4 : cells;
  constexpr int impacts_at_once = cells == 1 ? impacts : 1;
  constexpr int at_once = impacts_at_once * cells_at_once;
#pragma unroll
  for (int first = 0; first < impacts; first += impacts_at_once) {
#pragma unroll
    for (int begin = 0; begin < cells; begin += cells_at_once) {
      float energy[at_once];
      float distance[at_once];
      float share[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const int impact = first + i / cells_at_once;
        energy[i] = energies[impact];
        distance[i] = n(impact, begin + i % cells_at_once);
      }
      ExactShare<Law>::of(rule.law, energy, distance, share);
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        add<all_count>(value[begin + i % cells_at_once], share[i], rule.smallest);
      }
    }
  }
}

/// Puts the thread's impact into shared memory, and also the type of each group's distances.
template <class Law, int group>
__device__ void put(SharedImpacts<group>& shared, const LayerRule<Law>& rule, const Impact& impact,
                    std::int64_t tile_position, int tile_cells) {
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t offset = impact.position - tile_position;
  shared.impact[thread] = {static_cast<float>(offset), rule.energy(impact.energy)};
  shared.offset[thread] = offset;
  int type =
      distance_type<Law>(offset, tile_cells);  // then becomes the most general one in the group
#pragma unroll
  for (int lanes = 1; lanes < group; lanes *= 2) {
    type = max(type, __shfl_xor_sync(~0U, type, lanes));
  }
  if (thread % group == 0) shared.type[thread / group] = static_cast<DistanceType>(type);
}

/// Adds the group of impacts in shared memory that begins with number `first`, with distances as
/// floats.
template <bool all_count, class Law, int cells, int group>
__device__ void add_group(const LayerRule<Law>& rule, float (&value)[cells],
                          const SharedImpacts<group>& shared, int first, int here) {
  float energy[group];
  float from_here[group];
#pragma unroll
  for (int i = 0; i < group; ++i) {
    const StagedImpact impact = shared.impact[first + i];
    energy[i] = impact.energy;
    from_here[i] = impact.offset - static_cast<float>(here);
  }
  add_shares<all_count>(rule, value, energy, [&](int i, int c) {
    return fabsf(from_here[i] - static_cast<float>(c)) + 1.0F;
  });
}

/// Adds impact number i of those in shared memory, with distances of this type.
template <bool all_count, class Law, int cells, int group>
__device__ void add_one(const LayerRule<Law>& rule, float (&value)[cells],
                        const SharedImpacts<group>& shared, int i, DistanceType type, int here) {
  const float energy[1] = {shared.impact[i].energy};
  if (type != as_int64) {
    const int from_here = static_cast<int>(shared.offset[i]) - here;
    add_shares<all_count>(rule, value, energy,
                          [&](int, int c) { return static_cast<float>(abs(from_here - c) + 1); });
  } else {
#pragma unroll
    for (int c = 0; c < cells; ++c) {
      const float n = distance(shared.offset[i], here + c);
      add<all_count>(value[c], rule.share(energy[0], n), rule.smallest);
    }
  }
}

/// Each of the block's threads has one impact. Moves those that reach the tile to the first
/// threads, in order, and returns their number. All threads must call it; a thread without an
/// impact passes one of zero energy, and is left with one.
__device__ inline int keep_reaching(Impact& impact, std::int64_t reach, std::int64_t tile_position,
                                    int tile_cells) {
  __shared__ Impact kept[most_threads];
  __shared__ int of_warp[most_warps];
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const bool reaches =
      impact.energy != 0 && reaches_cells(reach, impact.position - tile_position, tile_cells);
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
  impact = thread < count ? kept[thread] : Impact{tile_position, 0};
  return count;
}

/// Adds a storm's impacts [begin, end) to the thread's cells, in order; the block's first cell is
/// cell `first` of the layer. While the block works on the impacts in shared memory, each thread
/// fetches one of the next round. Null `reaches`: the impacts may reach all cells.
template <int cells, bool all_count, class Law>
__device__ void add_storm(float (&value)[cells], const LayerRule<Law>& rule, const Impact* impacts,
                          const std::int64_t* reaches, std::int64_t begin, std::int64_t end,
                          std::int64_t first) {
  constexpr int group = cells == 1 ? 8 : 4;
  __shared__ SharedImpacts<group> buffers[2];

  const int threads = static_cast<int>(blockDim.x);
  const int thread = static_cast<int>(threadIdx.x);
  const int tile_cells = threads * cells;
  const int here = thread * cells;
  Impact next;
  std::int64_t reach = reaches_everywhere;
  const auto fetch = [&](std::int64_t from) {
    const std::int64_t i = from + thread;
    next = i < end ? impacts[i] : Impact{first, 0};
    if (!all_count && reaches != nullptr && i < end) reach = reaches[i];
  };

  int turn = 0;
  fetch(begin);
  for (std::int64_t from = begin; from < end; from += threads, turn ^= 1) {
    const SharedImpacts<group>& shared = buffers[turn];
    int count = static_cast<int>(min(end - from, std::int64_t{threads}));
    if constexpr (!all_count) count = keep_reaching(next, reach, first, tile_cells);
    // Warps without an impact in this round write nothing to shared memory.
    if (thread / 32 * 32 < count) {
      put(buffers[turn], rule, next, first, tile_cells);
    }
    __syncthreads();
    fetch(from + threads);
    for (int next_group = 0; next_group < count; next_group += group) {
      const DistanceType type = shared.type[next_group / group];
      if (type == as_float && next_group + group <= count) {
        add_group<all_count>(rule, value, shared, next_group, here);
        continue;
      }
      for (int i = next_group; i < min(next_group + group, count); ++i) {
        add_one<all_count>(rule, value, shared, i, type, here);
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

/// Writes the warp's highest peak to `of_warp`, counting only cells whose bit in `reported` is set.
/// k0 is the index of the thread's first cell.
template <int cells>
__device__ void find_peak(const float (&value)[cells], unsigned reported, std::int64_t k0,
                          IndexedValue& of_warp) {
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
  const IndexedValue peak = highest_of_warp(IndexedValue{highest, cell < 0 ? -1 : k0 + cell});
  if (threadIdx.x % 32 == 0) of_warp = peak;
}

}  // namespace bombard::cuda
