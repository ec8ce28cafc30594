#include <cub/block/block_scan.cuh>

#include "kernels/device/launch.cuh"
#include "kernels/layer/update.hpp"
#include "kernels/share/exact_share.cuh"

// Counting (docs/methods.md, Counting) on a GPU: a block of threads for 512 cells, a warp for a
// leaf of 32. First a thread takes two impacts. Those that are open for the 512 cells go into a
// list in file order. Then each warp asks this list for its leaf, a lane for an impact. At last a
// lane takes a cell, and the rule adds what is still open. Impacts are taken in rounds. At the end
// of a round a leaf looks whether its sums may have left their binade; if so, the rule adds all
// impacts of the round.

namespace bombard::cuda {

namespace {

constexpr unsigned all_lanes = ~0U;
constexpr int threads = 512, leaf_cells = 32, leaves = threads / leaf_cells;
constexpr int block_cells = threads;                   // a lane for each cell
constexpr int at_once = 2, batch = threads * at_once;  // impacts that a block takes at a time
constexpr int most_listed = batch + threads, most_of_leaf = 2 * 32;
// A round is long where sums are far from the end of their binade, by what the last round added.
constexpr int longest_round = 2 * batch, shortest_round = 256;
// The part by which an estimated share may be off, as in kernels/counting/counting_loop.cpp:
// 2^-22.9 of the root, and six roundings of 2^-24, the 2.5 of the rule's share among them.
constexpr float error = 0x1p-20F;
// So near to a block all its distances are exact floats, whose shares ExactShare has.
constexpr float near = static_cast<float>(largest_exact_distance - 2 * block_cells);

/// Between two neighbouring powers of two; the floats there are the multiples of a unit.
struct Binade {
  unsigned bits;             ///< the sign and the exponent of its floats
  float start, unit, units;  ///< the lower power, the unit, and the number of units in 1
  float smallest;            ///< shares below it do not count, in units

  __device__ Binade(float sum, float smallest_share) : bits(bits_of(sum)) {
    start = __uint_as_float(bits & 0x7f800000);
    unit = start * 0x1p-23F;
    units = 0x1p23F / start;
    smallest = smallest_share * units;
  }
  /// Whether units can be counted from this sum on: of other binades none is a normal number.
  __device__ bool has(float sum) const {
    return bits_of(sum) == bits && start >= 0x1p-100F && start < 0x1p100F;
  }

 private:
  __device__ static unsigned bits_of(float sum) { return __float_as_uint(sum) & 0xff800000; }
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

/// Impacts that are taken together, and where the block is that takes them.
struct Round {
  const Impact* impacts;
  EnergyScale energy;
  int count;
  std::int64_t block_position;  ///< of the block's first cell
  float smallest;               ///< shares below it do not count

  /// Impact number i; without energy beyond the end.
  __device__ OpenImpact opened(int i, float units) const {
    const Impact impact = i < count ? impacts[i] : Impact{block_position, 0};
    const auto offset = static_cast<int>(impact.position - block_position);
    return {static_cast<float>(offset), energy(impact.energy) * units, 0, offset};
  }
};

/// The number of units that an impact adds to each of some neighbouring cells, as far as it is
/// known that they are the same.
struct Addition {
  bool is_open;  ///< they may differ
  bool is_odd;
  float number;     ///< 0 if the impact is open
  float magnitude;  ///< of what it adds to any of the cells, at most, if it is open
};

/// What an impact adds to the cells from `first` on; shares below `smallest` do not count.
template <bool all_count>
__device__ Addition addition(const OpenImpact& impact, float first, float cells, float smallest) {
  const float behind = first + cells;
  const auto share = [&](float cell) {
    return impact.energy * approximate_reciprocal_root(fabsf(impact.place - cell) + 1);
  };
  const float a = share(first), b = share(behind);
  constexpr float shift = 0x1.8p23F;  // rounds magnitudes below 2^22; larger ones are open
  const float shifted = a + shift, nearest = shifted - shift;
  const float off = fmaxf(fabsf(a - nearest), fabsf(b - nearest));
  const float highest = fmaxf(fabsf(a), fabsf(b)) * (1 + error);
  const bool outside = (impact.place <= first) | (impact.place >= behind);
  const bool same = outside & (off < (0.5F - error) - fabsf(nearest) * error);
  const bool all = all_count || fminf(fabsf(a), fabsf(b)) * (1 - error) > smallest;
  const bool none = !all_count && highest < smallest;
  const float number = same & all ? nearest : 0;
  // Half a unit, and 1.5 more where sums have left their binade and are rounded otherwise.
  constexpr float rounding = 2;
  return {!(same & (all | none)), (same & all & (__float_as_uint(shifted) & 1)) != 0, number,
          (outside ? highest : fabsf(impact.energy)) + rounding};
}

/// Sums of numbers of units, and of their magnitudes: integers, and exact as long as the sums of a
/// layer stay in their binade.
struct Counted {
  float numbers, magnitudes;

  __device__ void add(float number) {
    numbers += number;
    magnitudes += fabsf(number);
  }
  __device__ Counted operator+(const Counted& other) const {
    return {numbers + other.numbers, magnitudes + other.magnitudes};
  }
  /// The sums of all lanes, in each lane.
  __device__ Counted of_warp() const {
    Counted all = *this;
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) {
      all.numbers += __shfl_xor_sync(all_lanes, all.numbers, lanes);
      all.magnitudes += __shfl_xor_sync(all_lanes, all.magnitudes, lanes);
    }
    return all;
  }
};

/// A lane's sum, in units, after `count` open impacts, in order. `cell` is the lane's; `odd` tells
/// of the impact before the first, as OpenImpact::odd. By the rule alone none is odd.
template <bool all_count, bool by_rule>
__device__ __noinline__ float with_open(float sum, float odd, const OpenImpact* open, int count,
                                        float cell, float smallest) {
  const auto add = [&](const OpenImpact& impact, float share) {
    if (!by_rule) {
      sum += impact.odd - odd;
      odd = impact.odd;
    }
    if (all_count || counts(share, smallest)) sum += share;
  };
  bool far = false;
  for (int i = lane(); i < count; i += 32) far |= fabsf(open[i].place) >= near;
  if (__any_sync(all_lanes, far)) {
    for (int i = 0; i < count; ++i) {
      const OpenImpact impact = open[i];
      const auto n = static_cast<float>(abs(impact.offset - static_cast<int>(cell)) + 1);
      add(impact, __fdiv_rn(impact.energy, __fsqrt_rn(n)));
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

/// Whether a sum, in units, stays in its binade in whatever order numbers are added to it.
__device__ bool stays(float sum, float net, float magnitudes) {
  constexpr float slack = 8, roundings = 1 + 0x1p-10F;
  const float up = (magnitudes * roundings + net) / 2 + slack;
  const float down = (magnitudes * roundings - net) / 2 + slack;
  const float low = sum - down, high = sum + up;
  return sum < 0 ? low > -0x1p24F && high < -0x1p23F : low > 0x1p23F && high < 0x1p24F;
}

/// 32 cells, one for each lane of a warp.
template <bool all_count>
struct Leaf {
  float first, cell;  ///< the first cell and the lane's, counted from the block's first
  float value;
  OpenImpact* open;        ///< room for most_of_leaf
  float added = INFINITY;  ///< by an impact of the last round, on the average

  // Of a round:
  bool counting;
  float sum, odd;  ///< in units: `value` with open impacts; the last one's parity
  int listed, odd_numbers;
  Counted counted;   ///< by this lane
  float magnitudes;  ///< that open impacts of this lane add to a cell, at most

  /// Returns whether a long round is likely to keep the lane's sum in the binade.
  __device__ bool begin_round(const Binade& binade) {
    const bool has = binade.has(value);
    counting = __all_sync(all_lanes, has);
    sum = value * binade.units;
    odd = magnitudes = 0;
    listed = odd_numbers = 0;
    counted = {0, 0};
    const float above = fabsf(value) - binade.start;
    const float room = added * value > 0 ? binade.start - above : above;
    return has && fabsf(added) * (1.25F * longest_round) < room;
  }

  /// Takes impacts that the block has listed: counts them or lists them again, a lane for each, and
  /// adds what is listed. (Members that are left out of the braces nvcc 13.0 leaves as they are in
  /// a conditional expression.)
  __device__ void take(const OpenImpact* list, int count, float smallest) {
    for (int i = lane(); counting && i - lane() < count; i += 32) {
      const OpenImpact impact = i < count ? list[i] : OpenImpact{first, 0, 0, 0};
      const Addition here = addition<all_count>(impact, first, leaf_cells, smallest);
      counted.add(here.number);
      const unsigned opens = __ballot_sync(all_lanes, here.is_open);
      const unsigned odds = __ballot_sync(all_lanes, here.is_odd);
      const unsigned below = (1U << lane()) - 1;
      if (here.is_open) {
        magnitudes += here.magnitude;
        const int before = static_cast<int>(impact.odd) + odd_numbers + __popc(odds & below);
        open[listed + __popc(opens & below)] = {impact.place, impact.energy,
                                                static_cast<float>(before & 1), impact.offset};
      }
      listed += __popc(opens);
      odd_numbers += __popc(odds);
      __syncwarp();
      if (listed > most_of_leaf - 32) add_listed(smallest);
    }
  }

  /// `of_block` are the numbers that are counted for all cells of the block.
  __device__ void end_round(const Counted& of_block, const Binade& binade, const Round& round) {
    const float before = value;
    if (!counting || !ends_well(of_block, binade)) add_by_rule(round);
    added = (value - before) / static_cast<float>(round.count);
  }

 private:
  __device__ void add_listed(float smallest) {
    sum = with_open<all_count, false>(sum, odd, open, listed, cell, smallest);
    if (listed > 0) odd = open[listed - 1].odd;
    listed = 0;
    __syncwarp();
  }

  /// Takes the round's sum if no sum of the leaf can have left its binade.
  __device__ bool ends_well(const Counted& of_block, const Binade& binade) {
    add_listed(binade.smallest);
    Counted all = counted;
    all.magnitudes += magnitudes;
    all = all.of_warp() + of_block;
    const float before = value * binade.units;
    const bool well = stays(before, sum - before + all.numbers, all.magnitudes);
    if (!__all_sync(all_lanes, well)) return false;
    value = (sum + (all.numbers - odd)) * binade.unit;
    return true;
  }

  __device__ void add_by_rule(const Round& round) {
    for (int i = 0; i < round.count; i += 32) {
      open[lane()] = round.opened(i + lane(), 1);
      __syncwarp();
      value = with_open<all_count, true>(value, 0, open, min(32, round.count - i), cell,
                                         round.smallest);
      __syncwarp();
    }
  }
};

/// What a block knows of a round's impacts and all of its cells.
template <bool all_count>
struct BlockList {
  OpenImpact* impacts;  ///< room for most_listed
  int listed, odd_numbers;
  Counted counted;  ///< by this thread

  __device__ void begin_round() {
    listed = odd_numbers = 0;
    counted = {0, 0};
  }
  __device__ bool has_room() const { return listed <= most_listed - batch; }

  /// Counts or lists the round's impacts from number `first` on, a batch at most, in order.
  __device__ void take(const Round& round, int first, const Binade& binade) {
    using Scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename Scan::TempStorage storage;
    OpenImpact mine[at_once];
    int flags[at_once], before[at_once], all;  // open impacts, and 2^16 times odd numbers
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      const int i = first + at_once * static_cast<int>(threadIdx.x) + j;
      mine[j] = round.opened(i, binade.units);
      const Addition here = addition<all_count>(mine[j], 0, block_cells, binade.smallest);
      counted.add(here.number);
      flags[j] = here.is_open + (here.is_odd << 16);
    }
    Scan(storage).ExclusiveSum(flags, before, all);
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      mine[j].odd = static_cast<float>((odd_numbers + (before[j] >> 16)) & 1);
      if ((flags[j] & 1) != 0) impacts[listed + (before[j] & 0xffff)] = mine[j];
    }
    listed += all & 0xffff;
    odd_numbers += all >> 16;
    __syncthreads();
  }
};

template <bool all_count>
__global__ void __launch_bounds__(threads, 2)
    counting_kernel(const Impact* impacts, std::int64_t count, const EnergyScale energy,
                    std::int64_t first, float smallest, float* layer, std::int64_t cells) {
  __shared__ OpenImpact of_block[most_listed], of_leaf[leaves][most_of_leaf];
  __shared__ Counted counted;
  __shared__ float first_value;
  const auto thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const std::int64_t block_cell = std::int64_t{blockIdx.x} * block_cells;
  BlockList<all_count> block{of_block};
  Leaf<all_count> leaf{static_cast<float>(warp * leaf_cells), static_cast<float>(thread),
                       layer[min(block_cell + thread, cells - 1)], of_leaf[warp]};

  for (std::int64_t begin = 0, end; begin < count; begin = end) {
    __syncthreads();
    if (thread == 0) {
      first_value = leaf.value;
      counted = {0, 0};
    }
    __syncthreads();
    const Binade binade(first_value, smallest);
    const bool has_room = __syncthreads_and(leaf.begin_round(binade));
    end = min(count, begin + (has_room ? longest_round : shortest_round));
    const Round round{impacts + begin, energy, static_cast<int>(end - begin), first + block_cell,
                      smallest};
    block.begin_round();
    if (__syncthreads_or(leaf.counting)) {
      for (int i = 0; i < round.count; i += batch) {
        block.take(round, i, binade);
        if (block.has_room() && i + batch < round.count) continue;
        leaf.take(of_block, block.listed, binade.smallest);
        block.listed = 0;
        __syncthreads();
      }
    }
    const Counted of_warp = block.counted.of_warp();
    if (lane() == 0) {
      atomicAdd(&counted.numbers, of_warp.numbers);
      atomicAdd(&counted.magnitudes, of_warp.magnitudes);
    }
    __syncthreads();
    leaf.end_round(counted, binade, round);
  }
  if (block_cell + thread < cells) layer[block_cell + thread] = leaf.value;
}

}  // namespace

void update_by_counting(const LayerRule<SquareRootLaw>& rule, std::span<const Impact> impacts,
                        bool all_count, std::int64_t first, std::span<float> layer) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  launch("update by counting", {(cells + block_cells - 1) / block_cells, threads},
         all_count ? counting_kernel<true> : counting_kernel<false>, impacts.data(),
         static_cast<std::int64_t>(impacts.size()), rule.energy, first, rule.smallest, layer.data(),
         cells);
}

}  // namespace bombard::cuda
