#include "kernels/device/launch.cuh"
#include "kernels/layer/exact_share.cuh"
#include "kernels/layer/update.hpp"

// Counting (docs/methods.md, Counting) on a GPU: a block of threads for 256 cells, a warp for 32 of
// them. At first a thread takes an impact: those that differ among the 256 cells go into a list in
// file order. Then each warp asks the list for its own cells; at last a lane takes a cell, and the
// rule adds what is still open. Impacts are taken in rounds, at the end of which a warp looks
// whether its sums may have left their binade; then the rule does the round again.

namespace bombard::cuda {

namespace {

constexpr unsigned all_lanes = ~0U;
constexpr int threads = 256, warps = threads / 32;
constexpr int most_open = 2 * threads;
// A round: long where sums are far from the end of their binade, by what the last one has added.
constexpr int longest_round = 8 * threads, shortest_round = threads;
// As in kernels/layer/counting_loop.cpp: the approximate root is off by 2^-22, products round.
constexpr float error = 0x1p-20F;

struct alignas(16) OpenImpact {
  int offset;        ///< position less the block's first cell
  float energy;      ///< in units
  float odd_before;  ///< 1 where an odd number of units was counted before it, else 0
};

/// Numbers of units that were counted in a round: their sum, and that of their magnitudes.
struct Counted {
  int sum, magnitudes;

  __device__ void add(int number) {
    sum += number;
    magnitudes += abs(number);
  }
  __device__ void add_to(Counted& shared) const {
    atomicAdd(&shared.sum, sum);
    atomicAdd(&shared.magnitudes, magnitudes);
  }
};

__device__ float distance_in_block(int offset, int cell) {
  return static_cast<float>(abs(offset - cell) + 1);
}

/// The rule's share at distance n, a float that holds an integer.
__device__ float exact_share(float energy, float n) {
  if (n >= static_cast<float>(largest_exact_distance / 2)) {
    return __fdiv_rn(energy, __fsqrt_rn(n));
  }
  const float energies[1] = {energy}, distances[1] = {n};
  float share[1];
  ExactShare<SquareRootLaw>::of({}, energies, distances, share);
  return share[0];
}

/// The number of units that an impact adds to each of the cells first .. last, if it is one and no
/// tie is near; shares below `smallest` do not count.
template <bool all_count>
__device__ bool is_counted(int offset, float energy, int first, int last, float smallest,
                           int& number) {
  const auto share = [&](int cell) {
    return energy * approximate_reciprocal_root(distance_in_block(offset, cell));
  };
  const float a = share(first), b = share(last);
  const float nearest = rintf(a);
  const float off = fmaxf(fabsf(a - nearest), fabsf(b - nearest));
  const bool outside = offset <= first || offset >= last;
  const bool same = outside && off < (0.5F - error) - fabsf(nearest) * error;
  number = same ? static_cast<int>(nearest) : 0;
  if (all_count || !same) return same;
  if (fmaxf(fabsf(a), fabsf(b)) * (1 + error) < smallest) {
    number = 0;
    return true;
  }
  if (fminf(fabsf(a), fabsf(b)) * (1 - error) > smallest) return true;
  number = 0;
  return false;
}

/// Whether a sum, in units, stays in its binade in whatever order a round's numbers are added.
__device__ bool stays(float sum, float net, float magnitudes, float roundings) {
  const float up = (magnitudes + net) / 2 + roundings, down = (magnitudes - net) / 2 + roundings;
  const float low = sum - down, high = sum + up;
  return sum < 0 ? low > -0x1p24F && high < -0x1p23F : low > 0x1p23F && high < 0x1p24F;
}

template <bool all_count>
__global__ void __launch_bounds__(threads, 6)
    counting_kernel(const ScaledImpact* impacts, std::int64_t count, std::int64_t first,
                    float smallest, float* layer, std::int64_t cells) {
  __shared__ OpenImpact open[most_open], open_in_warp[warps][32];
  __shared__ int open_of_warp[warps], odd_of_warp[warps];
  __shared__ Counted of_block, of_warp[warps];
  __shared__ float value_of_block;
  const auto here = static_cast<int>(threadIdx.x);
  const int lane = here % 32, warp = here / 32;
  const unsigned below = (1U << lane) - 1;
  const std::int64_t cell = std::int64_t{blockIdx.x} * threads + here;
  const std::int64_t block_position = first + cell - here;
  float value = layer[min(cell, cells - 1)];
  float added = INFINITY;  // by an impact of the last round, on the average

  for (std::int64_t begin = 0, end; begin < count; begin = end) {
    __syncthreads();
    if (here == 0) {
      value_of_block = value;
      of_block = {};
    }
    if (lane == 0) of_warp[warp] = {};
    __syncthreads();
    constexpr unsigned sign_and_exponent = 0xff800000, exponent = 0x7f800000;
    const unsigned binade = __float_as_uint(value_of_block) & sign_and_exponent;
    const float start = __uint_as_float(binade & exponent);
    const float unit = start * 0x1p-23F, units = 0x1p23F / start;
    const bool fits = start >= 0x1p-100F && start < 0x1p100F &&
                      (__float_as_uint(value) & sign_and_exponent) == binade;
    const bool counting = __all_sync(all_lanes, fits);
    const float room = added * value > 0 ? 2 * start - fabsf(value) : fabsf(value) - start;
    const bool long_round = fits && fabsf(added) * (1.25F * longest_round) < room;
    end = min(count, begin + (__syncthreads_and(long_round) ? longest_round : shortest_round));

    const float sum_before = value * units, smallest_in_units = smallest * units;
    float sum = sum_before, magnitudes = 0, odd = 0;
    int listed = 0, odd_in_block = 0, odd_in_warp = 0, added_open = 0;
    Counted by_thread{}, by_lane{};
    if (__syncthreads_or(counting)) {
      for (std::int64_t from = begin; from < end; from += threads) {
        const ScaledImpact impact =
            from + here < end ? impacts[from + here] : ScaledImpact{block_position, 0};
        const auto offset = static_cast<int>(impact.position - block_position);
        const float energy = impact.energy * units;
        int number;
        const bool same =
            is_counted<all_count>(offset, energy, 0, threads - 1, smallest_in_units, number);
        by_thread.add(number);
        const unsigned odd_ones = __ballot_sync(all_lanes, number & 1);
        const unsigned open_ones = __ballot_sync(all_lanes, !same);
        if (lane == 0) {
          open_of_warp[warp] = __popc(open_ones);
          odd_of_warp[warp] = __popc(odd_ones);
        }
        __syncthreads();
        int place = listed + __popc(open_ones & below);
        int odd_before = odd_in_block + __popc(odd_ones & below);
        for (int w = 0; w < warps; ++w) {
          if (w < warp) {
            place += open_of_warp[w];
            odd_before += odd_of_warp[w];
          }
          listed += open_of_warp[w];
          odd_in_block += odd_of_warp[w];
        }
        if (!same) open[place] = {offset, energy, static_cast<float>(odd_before & 1)};
        __syncthreads();
        if (listed <= most_open - threads && from + threads < end) continue;

        for (int i = 0; counting && i < listed; i += 32) {
          const int first_cell = warp * 32;
          const OpenImpact mine = i + lane < listed ? open[i + lane] : OpenImpact{first_cell, 0, 0};
          const bool same_in_warp = is_counted<all_count>(
              mine.offset, mine.energy, first_cell, first_cell + 31, smallest_in_units, number);
          by_lane.add(number);
          const unsigned odd_here = __ballot_sync(all_lanes, number & 1);
          const unsigned open_here = __ballot_sync(all_lanes, !same_in_warp);
          const int before =
              static_cast<int>(mine.odd_before) + odd_in_warp + __popc(odd_here & below);
          odd_in_warp += __popc(odd_here);
          if (!same_in_warp) {
            open_in_warp[warp][__popc(open_here & below)] = {mine.offset, mine.energy,
                                                             static_cast<float>(before & 1)};
          }
          __syncwarp();
          const int still_open = __popc(open_here);
          added_open += still_open;
#pragma unroll 4
          for (int j = 0; j < still_open; ++j) {
            const OpenImpact hit = open_in_warp[warp][j];
            float share = exact_share(hit.energy, distance_in_block(hit.offset, here));
            if (!all_count && fabsf(share) < smallest_in_units) share = 0;
            sum = (sum + (hit.odd_before - odd)) + share;
            magnitudes += fabsf(share);
            odd = hit.odd_before;
          }
          __syncwarp();
        }
        listed = 0;
        __syncthreads();
      }
    }

    by_thread.add_to(of_block);
    by_lane.add_to(of_warp[warp]);
    __syncthreads();
    const auto counted = static_cast<float>(of_block.sum + of_warp[warp].sum);
    const bool holds =
        stays(sum_before, sum - sum_before + counted,
              static_cast<float>(of_block.magnitudes + of_warp[warp].magnitudes) + magnitudes,
              static_cast<float>(2 * added_open + 8));
    const float before = value;
    if (counting && __all_sync(all_lanes, holds)) {
      value = (sum + (counted - odd)) * unit;
    } else {
#pragma unroll 4
      for (std::int64_t i = begin; i < end; ++i) {
        const auto offset = static_cast<int>(impacts[i].position - block_position);
        const float share = exact_share(impacts[i].energy, distance_in_block(offset, here));
        if (all_count || counts(share, smallest)) value += share;
      }
    }
    added = (value - before) / static_cast<float>(end - begin);
  }
  if (cell < cells) layer[cell] = value;
}

}  // namespace

void update_by_counting(const LayerRule<SquareRootLaw>& rule, std::span<const ScaledImpact> impacts,
                        bool all_count, std::int64_t first, std::span<float> layer) {
  const auto cells = static_cast<std::int64_t>(layer.size());
  launch("update by counting", one_thread_each(cells, threads),
         all_count ? counting_kernel<true> : counting_kernel<false>, impacts.data(),
         static_cast<std::int64_t>(impacts.size()), first, rule.smallest, layer.data(), cells);
}

}  // namespace bombard::cuda
