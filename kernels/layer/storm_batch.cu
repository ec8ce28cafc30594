#include <algorithm>
#include <cfloat>
#include <cub/block/block_reduce.cuh>

#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/layer/cells_in_registers.cuh"
#include "kernels/layer/storm_batch.hpp"

namespace bombard::cuda {

namespace {

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

template <class Law>
struct BatchParameters {
  LayerRule<Law> rule;
  const Impact* impacts;
  const std::int64_t* reaches;
  std::int64_t ends[StormBatch::most_storms];
  int storms;
  std::int64_t first_held;  // first cell held, in the whole layer
  std::int64_t cells;       // number of cells held
  CellRange own;            // numbered from the first cell held
  const float* before;
  float* after;
  IndexedValue* tile_maxima;  // [storm][tile]
};

/// A block takes a tile; each thread holds `cells` consecutive cells of it.
template <class Law, int cells, bool all_count>
__global__ void __launch_bounds__(most_threads, resident_blocks_of_most_threads)
    batch_kernel(const BatchParameters<Law> batch) {
  __shared__ IndexedValue of_warp[StormBatch::most_storms][most_warps];
  const int thread = static_cast<int>(threadIdx.x);
  const int warps = static_cast<int>(blockDim.x) / 32;
  const std::int64_t margin = batch.storms + 1;
  const std::int64_t own = std::int64_t{blockDim.x} * cells - 2 * margin;
  const std::int64_t own_first = blockIdx.x * own;
  const std::int64_t tile_first = own_first - margin;
  const std::int64_t k0 = tile_first + std::int64_t{thread} * cells;
  // A bit for each cell of the thread. `interior`: it is held, and neither the first nor the last
  // held; `reported`: if it is a peak, it is reported.
  const unsigned interior = cells_between<cells>(1 - k0, batch.cells - 1 - k0);
  const unsigned reported =
      interior & cells_between<cells>(max(own_first, batch.own.begin) - k0,
                                      min(own_first + own, batch.own.end) - k0);

  float value[cells] = {};
  if (batch.before != nullptr) {
#pragma unroll
    for (int c = 0; c < cells; ++c) {
      if (0 <= k0 + c && k0 + c < batch.cells) value[c] = batch.before[k0 + c];
    }
  }
  std::int64_t begin = 0;
  for (int storm = 0; storm < batch.storms; ++storm) {
    add_storm<cells, all_count>(value, batch.rule, batch.impacts, batch.reaches, begin,
                                batch.ends[storm], batch.first_held + tile_first);
    begin = batch.ends[storm];
    relax(value, interior);
    find_peak(value, reported, k0, of_warp[storm][thread / 32]);
  }
  if (batch.after != nullptr) {
    const std::int64_t write_end = min(own_first + own, batch.cells);
#pragma unroll
    for (int c = 0; c < cells; ++c) {
      if (own_first <= k0 + c && k0 + c < write_end) batch.after[k0 + c] = value[c];
    }
  }

  __syncthreads();
  for (int storm = thread; storm < batch.storms; storm += static_cast<int>(blockDim.x)) {
    IndexedValue largest = of_warp[storm][0];
    for (int w = 1; w < warps; ++w) largest = higher(largest, of_warp[storm][w]);
    batch.tile_maxima[std::int64_t{storm} * gridDim.x + blockIdx.x] = largest;
  }
}

/// Threads of the block that reduces the tile maxima of a storm, which are few.
constexpr int reducing_threads = 256;

/// Block s reduces storm s.
__global__ void __launch_bounds__(reducing_threads)
    reduce_tile_maxima(const IndexedValue* tile_maxima, std::int64_t tiles, IndexedValue* maxima) {
  using Reduce = cub::BlockReduce<IndexedValue, reducing_threads>;
  __shared__ typename Reduce::TempStorage storage;
  const IndexedValue* mine = tile_maxima + blockIdx.x * tiles;
  IndexedValue highest{0, -1};
  for (std::int64_t i = threadIdx.x; i < tiles; i += reducing_threads) {
    highest = higher(highest, mine[i]);
  }
  highest = Reduce(storage).Reduce(highest, higher<float>);
  if (threadIdx.x == 0) maxima[blockIdx.x] = highest;
}

struct TileShape {
  int cells_a_thread, warps;
  std::int64_t tiles;
};

/// The shape that gives the busiest multiprocessor the least to do, for storms with this number of
/// impacts.
TileShape shape_for(std::int64_t cells, int storms, double impacts_a_storm, int multiprocessors) {
  TileShape best{};
  double least = DBL_MAX;
  for (const ThreadShape& thread : {one_cell, ten_cells}) {
    for (const int warps : {4, 8}) {
      const std::int64_t tile = std::int64_t{32} * warps * thread.cells;
      const std::int64_t own = tile - 2 * (storms + 1);
      const std::int64_t tiles = (cells + own - 1) / own;
      const std::int64_t a_multiprocessor = (tiles + multiprocessors - 1) / multiprocessors;
      const std::int64_t resident = resident_blocks_of_most_threads * most_warps / warps;
      const auto resident_warps = static_cast<double>(std::min(a_multiprocessor, resident) * warps);
      const double work = static_cast<double>(a_multiprocessor * tile) *
                          (impacts_a_storm * thread.interaction + thread.storm) *
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

template <class Law>
void apply_batch(const LayerRule<Law>& rule, const StormBatch& batch, const Part& part,
                 std::span<const float> before, std::span<float> after,
                 std::span<IndexedValue> maxima) {
  const int multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  const auto storms = static_cast<int>(batch.ends.size());
  const double impacts_a_storm = static_cast<double>(batch.impacts.size()) / storms;
  const TileShape shape = shape_for(part.held.count(), storms, impacts_a_storm, multiprocessors);
  DeviceArray<IndexedValue> tile_maxima(storms * shape.tiles);

  BatchParameters<Law> parameters{.rule = rule,
                                  .impacts = batch.impacts.data(),
                                  .reaches = batch.reaches.data(),
                                  .ends = {},
                                  .storms = storms,
                                  .first_held = part.held.begin,
                                  .cells = part.held.count(),
                                  .own = part.own_among_held(),
                                  .before = before.data(),
                                  .after = after.data(),
                                  .tile_maxima = tile_maxima.span().data()};
  std::copy(batch.ends.begin(), batch.ends.end(), parameters.ends);
  const bool one = shape.cells_a_thread == one_cell.cells;
  void (*const kernel)(BatchParameters<Law>) =
      batch.reaches.empty() ? (one ? batch_kernel<Law, one_cell.cells, true>
                                   : batch_kernel<Law, ten_cells.cells, true>)
                            : (one ? batch_kernel<Law, one_cell.cells, false>
                                   : batch_kernel<Law, ten_cells.cells, false>);
  launch("storm batch", {shape.tiles, 32 * shape.warps}, kernel, parameters);
  launch("reduce tile maxima", {storms, reducing_threads}, reduce_tile_maxima,
         tile_maxima.span().data(), shape.tiles, maxima.data());
}

template void apply_batch(const LayerRule<SquareRootLaw>&, const StormBatch&, const Part&,
                          std::span<const float>, std::span<float>, std::span<IndexedValue>);
template void apply_batch(const LayerRule<GeneralLaw>&, const StormBatch&, const Part&,
                          std::span<const float>, std::span<float>, std::span<IndexedValue>);

}  // namespace bombard::cuda
