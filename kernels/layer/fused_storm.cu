#include <algorithm>
#include <cfloat>

#include "kernels/device/last_block.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/layer/cells_in_registers.cuh"
#include "kernels/layer/fused_storm.hpp"
#include "kernels/reduction/highest_peak.cuh"

namespace bombard::cuda {

namespace {

/// Cells beyond each end of a tile: one for the relaxation, and one more for the comparison with
/// the neighbours.
constexpr int margin = 2;

/// Blocks of most_threads on a multiprocessor: few, because registers for many shares pay off.
constexpr int resident_blocks_of_most_threads = 2;

/// The number of cells that a thread of a kernel holds, few for small layers, and the kernel's
/// costs, measured on an H200 (docs/journal.md, Direct on the GPU) in units of the fastest
/// interaction.
struct ThreadShape {
  int cells;
  double interaction;  ///< one impact in one cell
  double storm;        ///< relaxation and peak of one cell
  double idle_warps;   ///< with w resident warps a multiprocessor is busy for w / (w + idle_warps)
                       ///< of the time
};
constexpr ThreadShape one_cell{1, 1.55, 39, 1}, ten_cells{10, 1.0, 7.8, 1.2};

struct Parameters {
  LayerRule rule;
  const Impact* impacts;
  std::int64_t count;
  std::int64_t first_held;  // first cell held, in the whole layer
  std::int64_t cells;       // number of cells held
  CellRange own;            // numbered from the first cell held
  const float* before;
  float* after;
  IndexedValue* of_tile;
  unsigned* arrived;
  IndexedValue* highest;
};

/// The highest of the peaks of the block's threads, returned in thread 0. All threads must call it.
__device__ IndexedValue highest_of_block(IndexedValue peak) {
  __shared__ IndexedValue of_warp[most_warps];
  peak = highest_of_warp(peak);
  if (lane() == 0) of_warp[warp()] = peak;
  __syncthreads();
  if (threadIdx.x == 0) {
    const int warps = static_cast<int>(blockDim.x) / lanes_of_warp;
    for (int w = 1; w < warps; ++w) peak = higher(peak, of_warp[w]);
  }
  return peak;
}

/// A block takes a tile; each thread holds `cells` consecutive cells of it. The last block to
/// finish takes the highest peak of all tiles.
template <int cells, bool every_share_counts>
__global__ void __launch_bounds__(most_threads, resident_blocks_of_most_threads)
    storm_kernel(const Parameters p) {
  const std::int64_t own = std::int64_t{blockDim.x} * cells - 2 * margin;
  const std::int64_t own_first = blockIdx.x * own;
  const std::int64_t tile_first = own_first - margin;
  const std::int64_t k0 = tile_first + std::int64_t{threadIdx.x} * cells;
  // A bit for each cell of the thread. `interior`: it is held, and neither the first nor the last
  // held; `reported`: if it is a peak, it is reported.
  const unsigned interior = cells_between<cells>(1 - k0, p.cells - 1 - k0);
  const unsigned reported = interior & cells_between<cells>(max(own_first, p.own.begin) - k0,
                                                            min(own_first + own, p.own.end) - k0);

  // Through shared memory neighbouring lanes read and write neighbouring cells.
  __shared__ float tile[most_threads * cells];
  const int tile_cells = static_cast<int>(blockDim.x) * cells;
  float* const of_thread = tile + threadIdx.x * cells;
  float value[cells] = {};
  if (p.before != nullptr) {
    for (int i = static_cast<int>(threadIdx.x); i < tile_cells; i += static_cast<int>(blockDim.x)) {
      const std::int64_t k = tile_first + i;
      tile[i] = 0 <= k && k < p.cells ? p.before[k] : 0.0F;
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < cells; ++c) value[c] = of_thread[c];
  }
  add_storm<every_share_counts>(value, p.rule, p.impacts, p.count, p.first_held + tile_first);
  relax(value, interior);
  if (p.after != nullptr) {
#pragma unroll
    for (int c = 0; c < cells; ++c) of_thread[c] = value[c];
    __syncthreads();
    const auto end = static_cast<int>(min(own, p.cells - own_first));
    for (int i = static_cast<int>(threadIdx.x); i < end; i += static_cast<int>(blockDim.x)) {
      p.after[own_first + i] = tile[margin + i];
    }
  }

  IndexedValue peak = highest_of_block(highest_peak(value, reported, k0));
  if (threadIdx.x == 0) p.of_tile[blockIdx.x] = peak;
  if (!is_last_block(p.arrived, gridDim.x)) return;
  peak = {0, -1};
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) peak = higher(peak, p.of_tile[i]);
  peak = highest_of_block(peak);
  if (threadIdx.x == 0) *p.highest = peak;
}

struct TileShape {
  int cells_a_thread, warps;
  std::int64_t tiles;
};

/// The shape that gives the busiest multiprocessor the least to do.
TileShape shape_for(std::int64_t cells, std::int64_t impacts) {
  const int multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  TileShape best{};
  double least = DBL_MAX;
  for (const ThreadShape& thread : {one_cell, ten_cells}) {
    for (const int warps : {4, 8}) {
      const std::int64_t tile = std::int64_t{lanes_of_warp} * warps * thread.cells;
      const std::int64_t own = tile - 2 * margin;
      const std::int64_t tiles = (cells + own - 1) / own;
      const std::int64_t a_multiprocessor = (tiles + multiprocessors - 1) / multiprocessors;
      const std::int64_t resident = resident_blocks_of_most_threads * most_warps / warps;
      const auto resident_warps = static_cast<double>(std::min(a_multiprocessor, resident) * warps);
      const double work = static_cast<double>(a_multiprocessor * tile) *
                          (static_cast<double>(impacts) * thread.interaction + thread.storm) *
                          (resident_warps + thread.idle_warps) / resident_warps;
      if (work < least) {
        least = work;
        best = {thread.cells, warps, tiles};
      }
    }
  }
  return best;
}

}  // namespace

FusedStorm::FusedStorm(const LayerRule& rule, const Part& part) : rule_(rule), part_(part) {
  set_bytes(arrived_.span(), 0);
}

IndexedValue FusedStorm::operator()(std::span<const Impact> impacts, bool every_share_counts,
                                    std::span<const float> before, std::span<float> after) {
  const std::int64_t cells = part_.held.count();
  const auto count = static_cast<std::int64_t>(impacts.size());
  const TileShape shape = shape_for(cells, count);
  of_tile_.at_least(shape.tiles, "the highest peaks of tiles");

  const Parameters parameters{.rule = rule_,
                              .impacts = impacts.data(),
                              .count = count,
                              .first_held = part_.held.begin,
                              .cells = cells,
                              .own = part_.own_among_held(),
                              .before = before.data(),
                              .after = after.data(),
                              .of_tile = of_tile_.span().data(),
                              .arrived = arrived_.span().data(),
                              .highest = highest_.span().data()};
  const bool one = shape.cells_a_thread == one_cell.cells;
  void (*const kernel)(Parameters) =
      every_share_counts
          ? (one ? storm_kernel<one_cell.cells, true> : storm_kernel<ten_cells.cells, true>)
          : (one ? storm_kernel<one_cell.cells, false> : storm_kernel<ten_cells.cells, false>);
  launch("fused storm", {shape.tiles, lanes_of_warp * shape.warps}, kernel, parameters);
  IndexedValue found;
  highest_.copy_to({&found, 1});
  return found;
}

}  // namespace bombard::cuda
