#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>

#include "kernels/device/launch.cuh"
#include "kernels/layer/update.hpp"
#include "kernels/share/exact_share.cuh"

// Counting (docs/methods.md, Counting): a block of threads has 512 cells, a warp a leaf of 32. No
// share is negative, so a sum that has left its binade is still outside at the end of the round.

namespace bombard::cuda {

namespace {

constexpr unsigned all_lanes = ~0U;
constexpr int threads = 512, leaf_cells = 32, leaves = threads / leaf_cells;
constexpr int block_cells = threads;                   // one lane for each cell
constexpr int at_once = 2, batch = threads * at_once;  // impacts that a block takes at a time
constexpr int most_of_leaf = 2 * 32;
// A round is long if the sums are far from the end of their binade, judged by what the last round
// added.
constexpr int longest_round = 4 * batch, shortest_round = 256;
// The relative error that an estimated share may have: 2^-22.9 of the root, and six roundings of
// 2^-24, including the 2.5 of the rule's share.
constexpr float error = 0x1p-20F;
// Up to here from a block, all its distances are exact floats, for which ExactShare holds.
constexpr float near = static_cast<float>(largest_exact_distance - 2 * block_cells);

__device__ int lane() {
  return static_cast<int>(threadIdx.x) % 32;
}

/// An impact that a block or a leaf does not count.
struct alignas(16) OpenImpact {
  float place;   ///< position less the block's first cell, rounded
  float energy;  ///< in units
  float odd;     ///< 1 if an odd number of units was counted before it, otherwise 0
  int offset;    ///< the same as `place`, exact
};

/// Impacts that a block takes in one round, at most longest_round of them.
struct Round {
  const Impact* impacts;
  EnergyScale energy;
  int count;
  std::int64_t block_position;  ///< of the block's first cell

  /// Impact number i; one of zero energy beyond the end.
  __device__ OpenImpact impact(int i, float units) const {
    if (i >= count) return {0, 0, 0, 0};
    const auto offset = static_cast<int>(impacts[i].position - block_position);
    return {static_cast<float>(offset), energy(impacts[i].energy) * units, 0, offset};
  }
};

/// Impacts that are counted for all cells of a block or a leaf, and those left open, in order.
struct Counted {
  OpenImpact* open;
  int opens = 0, odd_numbers = 0;
  float units = 0;  ///< counted by this thread

  /// Counts impacts for the cells from `first` on, or lists them as open; scan(flags, before, all)
  /// adds up the flags of the threads that share the list, in order.
  template <int each, class Scan>
  __device__ void take(OpenImpact (&impacts)[each], float first, float cells, const Scan& scan) {
    const float behind = first + cells;
    int flags[each], before[each], all;  // open impacts plus 2^16 times odd numbers
#pragma unroll
    for (int j = 0; j < each; ++j) {
      const float place = impacts[j].place;
      const auto share = [&](float cell) {
        return impacts[j].energy * approximate_reciprocal_root(fabsf(place - cell) + 1);
      };
      const float a = share(first), b = share(behind);
      constexpr float shift = 0x1.8p23F;  // rounds numbers below 2^22; larger ones are open
      const float shifted = a + shift, nearest = shifted - shift;
      const float off = fmaxf(fabsf(a - nearest), fabsf(b - nearest));
      const bool outside = (place <= first) | (place >= behind);
      const bool same = outside & (off < (0.5F - error) - nearest * error);
      units += same ? nearest : 0;
      flags[j] = same ? (__float_as_int(shifted) & 1) << 16 : 1;
    }
    scan(flags, before, all);
#pragma unroll
    for (int j = 0; j < each; ++j) {
      const int odd = static_cast<int>(impacts[j].odd) + odd_numbers + (before[j] >> 16);
      impacts[j].odd = static_cast<float>(odd & 1);
      if ((flags[j] & 1) != 0) open[opens + (before[j] & 0xffff)] = impacts[j];
    }
    opens += all & 0xffff;
    odd_numbers += all >> 16;
  }
};

/// A lane's sum, in units, after `count` open impacts in order, without the counted ones. With
/// `counted`, the parity of the units counted before each open impact decides its ties.
template <bool counted>
__device__ __noinline__ float with_open(float sum, const OpenImpact* open, int count, float cell) {
  float odd = 0;  // of the impact before; subtracting a difference of 0 leaves a sum of -0 as it is
  const auto add = [&](const OpenImpact& impact, float share) {
    if (counted) sum -= odd - impact.odd;
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
    return sum - odd;
  }
#pragma unroll 4
  for (int i = 0; i < count; ++i) {
    const float energy[] = {open[i].energy}, distance[] = {fabsf(open[i].place - cell) + 1};
    float share[1];
    ExactShare<SquareRootLaw>::of({}, energy, distance, share);
    add(open[i], share[0]);
  }
  return sum - odd;
}

__device__ float sum_of_warp(float number) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) number += __shfl_xor_sync(all_lanes, number, lanes);
  return number;
}

/// A lane's value after all impacts of a round, by the rule alone.
__device__ float by_rule(float value, const Round& round, OpenImpact* room, float cell) {
  for (int i = 0; i < round.count; i += 32) {
    room[lane()] = round.impact(i + lane(), 1);
    __syncwarp();
    value = with_open<false>(value, room, min(32, round.count - i), cell);
    __syncwarp();
  }
  return value;
}

__global__ void __launch_bounds__(threads, 2)
    counting_kernel(const Impact* impacts, std::int64_t count, const EnergyScale energy,
                    std::int64_t first, float* layer, std::int64_t cells) {
  using BlockScan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;
  using WarpScan = cub::WarpScan<int>;
  __shared__ typename BlockScan::TempStorage of_block_scan;
  __shared__ typename WarpScan::TempStorage of_warp_scan[leaves];
  __shared__ OpenImpact of_block[batch], of_leaf[leaves][most_of_leaf];
  __shared__ float first_value, counted;
  const auto thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const auto cell = static_cast<float>(thread), leaf_cell = static_cast<float>(thread - lane());
  const std::int64_t block_cell = std::int64_t{blockIdx.x} * block_cells;
  float value = layer[min(block_cell + thread, cells - 1)];
  float added = INFINITY;  // by each impact of the last round on average

  for (std::int64_t begin = 0, end; begin < count; begin = end) {
    __syncthreads();
    if (thread == 0) {
      first_value = value;
      counted = 0;
    }
    __syncthreads();
    // Sums between a power of two and the next are multiples of a unit. There is no counting where
    // sums are below 0, nor near 0, where units would not be normal numbers.
    const float power = __uint_as_float(__float_as_uint(first_value) & 0xff800000);
    const float units = 0x1p23F / power;
    const auto is_countable = [&](float sum) {
      return power >= 0x1p-100F && power < 0x1p100F && power <= sum && sum < 2 * power;
    };
    const bool counts = __all_sync(all_lanes, is_countable(value));
    int length = longest_round;
    const auto has_room = [&] { return counts && value + added * 1.25F * length < 2 * power; };
    while (length > shortest_round && __syncthreads_and(has_room()) == 0) length /= 2;
    end = min(count, begin + length);
    const Round round{impacts + begin, energy, static_cast<int>(end - begin), first + block_cell};
    Counted block{of_block}, leaf{of_leaf[warp]};
    float sum = value * units;
    const auto add_open = [&] {
      sum = with_open<true>(sum, leaf.open, leaf.opens, cell);
      leaf.opens = 0;
      __syncwarp();
    };
    for (int i = 0; __syncthreads_or(counts) && i < round.count; i += batch) {
      OpenImpact mine[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j) mine[j] = round.impact(i + at_once * thread + j, units);
      block.opens = 0;
      block.take(mine, 0, block_cells, [&](auto& flags, auto& before, int& all) {
        BlockScan(of_block_scan).ExclusiveSum(flags, before, all);
      });
      __syncthreads();
      for (int k = 0; counts && k < block.opens; k += 32) {
        OpenImpact one[1] = {{0, 0, 0, 0}};
        if (k + lane() < block.opens) one[0] = of_block[k + lane()];
        leaf.take(one, leaf_cell, leaf_cells, [&](auto& flags, auto& before, int& all) {
          WarpScan(of_warp_scan[warp]).ExclusiveSum(flags[0], before[0], all);
        });
        __syncwarp();
        if (leaf.opens > most_of_leaf - 32) add_open();
      }
    }
    const float of_warp = sum_of_warp(block.units);
    if (lane() == 0) atomicAdd(&counted, of_warp);
    __syncthreads();
    const float before = value;
    if (counts) {
      add_open();
      value = (sum + (sum_of_warp(leaf.units) + counted)) / units;
    }
    if (!__all_sync(all_lanes, counts && is_countable(value))) {
      value = by_rule(before, round, leaf.open, cell);
    }
    added = (value - before) / static_cast<float>(round.count);
  }
  if (block_cell + thread < cells) layer[block_cell + thread] = value;
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
