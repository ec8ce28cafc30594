#include <cub/block/block_scan.cuh>

#include "kernels/device/launch.cuh"
#include "kernels/layer/update.hpp"
#include "kernels/share/exact_share.cuh"

// Counting (docs/methods.md, Counting): a block of threads has 512 cells, a warp a leaf of 32. No
// share is negative, so a sum that has left its binade is outside at the end of the round, too.

namespace bombard::cuda {

namespace {

constexpr unsigned all_lanes = ~0U;
constexpr int threads = 512, leaf_cells = 32, leaves = threads / leaf_cells;
constexpr int block_cells = threads;                   // a lane for each cell
constexpr int at_once = 2, batch = threads * at_once;  // impacts that a block takes at a time
constexpr int most_of_leaf = 2 * 32;
// A round is long where sums are far from the end of their binade, by what the last round added.
constexpr int longest_round = 2 * batch, shortest_round = 256;
// The part by which an estimated share may be off: 2^-22.9 of the root, and six roundings of 2^-24,
// the 2.5 of the rule's share among them.
constexpr float error = 0x1p-20F;
// So near to a block all its distances are exact floats, whose shares ExactShare has.
constexpr float near = static_cast<float>(largest_exact_distance - 2 * block_cells);

/// The numbers between a power of two and the next: multiples of a unit. Units of sums near 0 would
/// be no normal numbers; sums below 0 are not counted.
struct Binade {
  float start, units;  ///< the lower power; units in 1

  __device__ explicit Binade(float sum) {
    start = __uint_as_float(__float_as_uint(sum) & 0xff800000);
    units = 0x1p23F / start;
  }
  __device__ bool has(float sum) const {
    return start >= 0x1p-100F && start < 0x1p100F && start <= sum && sum < 2 * start;
  }
};

__device__ int lane() {
  return static_cast<int>(threadIdx.x) % 32;
}

/// An impact that is not counted by a block or a leaf.
struct alignas(16) OpenImpact {
  float place;   ///< position less the block's first cell, rounded
  float energy;  ///< in units
  float odd;     ///< 1 where an odd number of units was counted before it, else 0
  int offset;    ///< as `place`, exact
};

/// Impacts that are taken together by a block.
struct Round {
  const Impact* impacts;
  EnergyScale energy;
  int count;
  std::int64_t block_position;  ///< of the block's first cell

  /// Impact number i; without energy beyond the end.
  __device__ OpenImpact impact(int i, float units) const {
    if (i >= count) return {0, 0, 0, 0};
    const auto offset = static_cast<int>(impacts[i].position - block_position);
    return {static_cast<float>(offset), energy(impacts[i].energy) * units, 0, offset};
  }
};

/// The number of units that an impact adds to each of some neighbouring cells. It is open if they
/// may differ, and its number is 0.
struct Addition {
  bool is_open, is_odd;
  float number;

  __device__ Addition(const OpenImpact& impact, float first, float cells) {
    const float behind = first + cells;
    const auto share = [&](float cell) {
      return impact.energy * approximate_reciprocal_root(fabsf(impact.place - cell) + 1);
    };
    const float a = share(first), b = share(behind);
    constexpr float shift = 0x1.8p23F;  // rounds numbers below 2^22; larger ones are open
    const float shifted = a + shift, nearest = shifted - shift;
    const float off = fmaxf(fabsf(a - nearest), fabsf(b - nearest));
    const bool outside = (impact.place <= first) | (impact.place >= behind);
    is_open = !(outside & (off < (0.5F - error) - nearest * error));
    is_odd = !is_open & ((__float_as_uint(shifted) & 1) != 0);
    number = is_open ? 0 : nearest;
  }
};

/// A lane's sum, in units, after `count` open impacts, in order. `cell` is the lane's; `odd` tells
/// of the impact before the first, as OpenImpact::odd.
__device__ __noinline__ float with_open(float sum, float odd, const OpenImpact* open, int count,
                                        float cell) {
  // A difference of 0 is taken away, which leaves a sum of -0 as it is.
  const auto add = [&](const OpenImpact& impact, float share) {
    sum -= odd - impact.odd;
    odd = impact.odd;
    sum += share;
  };
  bool far = false;
  for (int i = lane(); i < count; i += 32) far |= fabsf(open[i].place) >= near;
  if (__any_sync(all_lanes, far)) {
    for (int i = 0; i < count; ++i) {
      const auto n = static_cast<float>(abs(open[i].offset - static_cast<int>(cell)) + 1);
      add(open[i], __fdiv_rn(open[i].energy, __fsqrt_rn(n)));
    }
    return sum;
  }
  const auto add_group = [&]<int size>(const OpenImpact(&impacts)[size]) {
    float energies[size], distances[size], shares[size];
#pragma unroll
    for (int g = 0; g < size; ++g) {
      energies[g] = impacts[g].energy;
      distances[g] = fabsf(impacts[g].place - cell) + 1;
    }
    ExactShare<SquareRootLaw>::of({}, energies, distances, shares);
#pragma unroll
    for (int g = 0; g < size; ++g) add(impacts[g], shares[g]);
  };
  int i = 0;
  for (; i + 4 <= count; i += 4) add_group({open[i], open[i + 1], open[i + 2], open[i + 3]});
  for (; i < count; ++i) add_group({open[i]});
  return sum;
}

__device__ float sum_of_warp(float number) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) number += __shfl_xor_sync(all_lanes, number, lanes);
  return number;
}

/// 32 cells, one for each lane of a warp.
struct Leaf {
  float first, cell;  ///< the first cell and the lane's, counted from the block's first
  float value;
  OpenImpact* open;        ///< room for most_of_leaf
  float added = INFINITY;  ///< by an impact of the last round, on the average

  // Of a round:
  bool counting;
  float sum, odd;  ///< in units: `value` with open impacts; the last one's parity
  int listed, odd_numbers;
  float counted;  ///< by this lane

  /// Returns whether a long round is likely to keep the lane's sum in the binade.
  __device__ bool begin_round(const Binade& binade) {
    const bool has = binade.has(value);
    counting = __all_sync(all_lanes, has);
    sum = value * binade.units;
    odd = counted = 0;
    listed = odd_numbers = 0;
    return has && value + added * (1.25F * longest_round) < 2 * binade.start;
  }

  /// Takes impacts that the block has listed: counts them or lists them again, a lane for each, and
  /// adds what is listed.
  __device__ void take(const OpenImpact* list, int count) {
    for (int i = lane(); counting && i - lane() < count; i += 32) {
      const OpenImpact impact = i < count ? list[i] : OpenImpact{0, 0, 0, 0};
      const Addition here(impact, first, leaf_cells);
      counted += here.number;
      const unsigned opens = __ballot_sync(all_lanes, here.is_open);
      const unsigned odds = __ballot_sync(all_lanes, here.is_odd);
      const unsigned below = (1U << lane()) - 1;
      if (here.is_open) {
        const int before = static_cast<int>(impact.odd) + odd_numbers + __popc(odds & below);
        open[listed + __popc(opens & below)] = {impact.place, impact.energy,
                                                static_cast<float>(before & 1), impact.offset};
      }
      listed += __popc(opens);
      odd_numbers += __popc(odds);
      __syncwarp();
      if (listed > most_of_leaf - 32) add_listed();
    }
  }

  /// `of_block` is counted for all cells of the block.
  __device__ void end_round(float of_block, const Binade& binade, const Round& round) {
    const float before = value;
    if (counting) {
      add_listed();
      value = (sum + (sum_of_warp(counted) + of_block - odd)) / binade.units;
    }
    if (!counting || !__all_sync(all_lanes, binade.has(value))) {
      value = before;
      for (int i = 0; i < round.count; i += 32) {
        open[lane()] = round.impact(i + lane(), 1);
        __syncwarp();
        value = with_open(value, 0, open, min(32, round.count - i), cell);
        __syncwarp();
      }
    }
    added = (value - before) / static_cast<float>(round.count);
  }

 private:
  __device__ void add_listed() {
    sum = with_open(sum, odd, open, listed, cell);
    if (listed > 0) odd = open[listed - 1].odd;
    listed = 0;
    __syncwarp();
  }
};

/// What a block knows of a round's impacts and all of its cells.
struct BlockList {
  OpenImpact* impacts;  ///< room for a batch
  int listed = 0, odd_numbers = 0;
  float counted = 0;  ///< by this thread

  /// Counts or lists the round's impacts from number `first` on, a batch at most, in order.
  __device__ void take(const Round& round, int first, float units) {
    using Scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename Scan::TempStorage storage;
    OpenImpact mine[at_once];
    int flags[at_once], before[at_once], all;  // open impacts, and 2^16 times odd numbers
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      mine[j] = round.impact(first + at_once * static_cast<int>(threadIdx.x) + j, units);
      const Addition here(mine[j], 0, block_cells);
      counted += here.number;
      flags[j] = here.is_open + (here.is_odd << 16);
    }
    Scan(storage).ExclusiveSum(flags, before, all);
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      mine[j].odd = static_cast<float>((odd_numbers + (before[j] >> 16)) & 1);
      if ((flags[j] & 1) != 0) impacts[before[j] & 0xffff] = mine[j];
    }
    listed = all & 0xffff;
    odd_numbers += all >> 16;
    __syncthreads();
  }
};

__global__ void __launch_bounds__(threads, 2)
    counting_kernel(const Impact* impacts, std::int64_t count, const EnergyScale energy,
                    std::int64_t first, float* layer, std::int64_t cells) {
  __shared__ OpenImpact of_block[batch], of_leaf[leaves][most_of_leaf];
  __shared__ float counted, first_value;
  const auto thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const std::int64_t block_cell = std::int64_t{blockIdx.x} * block_cells;
  Leaf leaf{static_cast<float>(warp * leaf_cells), static_cast<float>(thread),
            layer[min(block_cell + thread, cells - 1)], of_leaf[warp]};

  for (std::int64_t begin = 0, end; begin < count; begin = end) {
    __syncthreads();
    if (thread == 0) {
      first_value = leaf.value;
      counted = 0;
    }
    __syncthreads();
    const Binade binade(first_value);
    const bool has_room = __syncthreads_and(leaf.begin_round(binade));
    end = min(count, begin + (has_room ? longest_round : shortest_round));
    const Round round{impacts + begin, energy, static_cast<int>(end - begin), first + block_cell};
    BlockList block{of_block};
    if (__syncthreads_or(leaf.counting)) {
      for (int i = 0; i < round.count; i += batch) {
        block.take(round, i, binade.units);
        leaf.take(of_block, block.listed);
        __syncthreads();
      }
    }
    const float of_warp = sum_of_warp(block.counted);
    if (lane() == 0) atomicAdd(&counted, of_warp);
    __syncthreads();
    leaf.end_round(counted, binade, round);
  }
  if (block_cell + thread < cells) layer[block_cell + thread] = leaf.value;
}

}  // namespace

void update_by_counting(const EnergyScale& energy, std::span<const Impact> impacts,
                        std::int64_t first, std::span<float> layer) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  launch("update by counting", {(cells + block_cells - 1) / block_cells, threads}, counting_kernel,
         impacts.data(), static_cast<std::int64_t>(impacts.size()), energy, first, layer.data(),
         cells);
}

}  // namespace bombard::cuda
