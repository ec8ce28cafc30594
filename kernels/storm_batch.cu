#include <algorithm>
#include <cfloat>

#include "kernels/device_memory.hpp"
#include "kernels/exact_share.cuh"
#include "kernels/launch.cuh"
#include "kernels/storm_batch.hpp"

namespace bombard::cuda {

namespace {

constexpr int most_threads = 768;  // leaves 80 registers a thread: enough for 12 cells
constexpr int most_warps = most_threads / 32;
constexpr int most_staged = 256;  // impacts in shared memory at a time, twice

struct BatchParameters {
  const ScaledImpact* impacts;
  std::int64_t ends[StormBatch::most_storms];
  int storms;
  float smallest;
  Window window;
  const float* before;
  float* after;
  IndexedValue* tile_maxima;  // [storm][block]
};

/// An impact as a tile's cells meet it. Cell c of the tile is n = |offset - c| + 1 away. Outside
/// the tile, while n is an exact float, n = slope * c + intercept with slope +1 (impact to the
/// left) or -1 (to the right).
struct StagedImpact {
  float slope, intercept, energy, unused;
};

/// Which arithmetic gives n exactly.
enum class Distance { straight_line, integer_32, integer_64 };

__device__ Distance how_far(std::int64_t offset, int tile_cells) {
  const bool outside = offset < 0 || offset >= tile_cells;
  const std::int64_t reach = (offset < 0 ? -offset : offset) + tile_cells + 1;
  if (outside && reach <= (1 << 24)) return Distance::straight_line;
  return reach < (1 << 30) ? Distance::integer_32 : Distance::integer_64;
}

__device__ StagedImpact staged(std::int64_t offset, float energy, int tile_cells) {
  if (how_far(offset, tile_cells) != Distance::straight_line) return {0, 0, energy, 0};
  return offset < 0 ? StagedImpact{1, static_cast<float>(1 - offset), energy, 0}
                    : StagedImpact{-1, static_cast<float>(offset + 1), energy, 0};
}

template <bool all_count>
__device__ void add(float& value, float share, float smallest) {
  if (all_count || counts(share, smallest)) value += share;
}

/// Adds a storm's impacts [begin, end) to the thread's cells, in order. While the block works on
/// those in shared memory, its first threads fetch one each of those to come.
template <class Law, int cells, bool all_count>
__device__ void add_storm(float (&value)[cells], const BatchParameters& batch, std::int64_t begin,
                          std::int64_t end, std::int64_t tile_first) {
  // A group is worked on at once: independent shares hide each other's latency.
  constexpr int group = cells == 1 ? 8 : 4;
  __shared__ StagedImpact impact[2][most_staged];
  __shared__ std::int64_t offset[2][most_staged];
  // A bit an impact: its distances need integers, and 64-bit ones.
  __shared__ unsigned by_integer[2][most_staged / 32], by_integer_64[2][most_staged / 32];

  const int threads = static_cast<int>(blockDim.x);
  const int thread = static_cast<int>(threadIdx.x);
  const int at_a_time = min(threads, most_staged);
  const int tile_cells = threads * cells;
  const int here = thread * cells;
  const auto here_float = static_cast<float>(here);

  const auto fetch = [&](std::int64_t from) {
    // Beyond the end: no energy, next to the tile. Adds +0, which changes no value (none is -0).
    return thread < at_a_time && from + thread < end
               ? batch.impacts[from + thread]
               : ScaledImpact{batch.window.first + tile_first - 1, 0.0F};
  };
  const auto stage = [&](int buffer, const ScaledImpact& fetched) {
    if (thread >= at_a_time) return;
    const std::int64_t from_tile = fetched.position - (batch.window.first + tile_first);
    const Distance far = how_far(from_tile, tile_cells);
    impact[buffer][thread] = staged(from_tile, fetched.energy, tile_cells);
    offset[buffer][thread] = from_tile;
    const unsigned integer = __ballot_sync(~0U, far != Distance::straight_line);
    const unsigned integer_64 = __ballot_sync(~0U, far == Distance::integer_64);
    if (thread % 32 == 0) {
      by_integer[buffer][thread / 32] = integer;
      by_integer_64[buffer][thread / 32] = integer_64;
    }
  };

  int buffer = 0;
  ScaledImpact next = fetch(begin);
  for (std::int64_t from = begin; from < end; from += at_a_time, buffer ^= 1) {
    stage(buffer, next);
    __syncthreads();
    next = fetch(from + at_a_time);
    const int count = static_cast<int>(min(end - from, std::int64_t{at_a_time}));
    for (int word = 0; word * 32 < count; ++word) {
      const unsigned integer = by_integer[buffer][word];
      const int word_end = min(count - word * 32, 32);
      for (int in_word = 0; in_word < word_end; in_word += group) {
        const int i = word * 32 + in_word;
        if (((integer >> in_word) & ((1U << group) - 1)) == 0) {
#pragma unroll
          for (int g = 0; g < group; ++g) {
            const StagedImpact hit = impact[buffer][i + g];
            const float n_here = __fmaf_rn(hit.slope, here_float, hit.intercept);
#pragma unroll
            for (int c = 0; c < cells; ++c) {
              const float n = __fmaf_rn(hit.slope, static_cast<float>(c), n_here);
              add<all_count>(value[c], ExactShare<Law>::of(hit.energy, n), batch.smallest);
            }
          }
        } else if (((by_integer_64[buffer][word] >> in_word) & ((1U << group) - 1)) == 0) {
          for (int g = 0; g < group; ++g) {
            const int from_here = static_cast<int>(offset[buffer][i + g]) - here;
            const float energy = impact[buffer][i + g].energy;
#pragma unroll
            for (int c = 0; c < cells; ++c) {
              const auto n = static_cast<float>(abs(from_here - c) + 1);
              add<all_count>(value[c], ExactShare<Law>::of(energy, n), batch.smallest);
            }
          }
        } else {
          for (int g = 0; g < group; ++g) {
            const float energy = impact[buffer][i + g].energy;
            for (int c = 0; c < cells; ++c) {
              const float n = distance(offset[buffer][i + g], here + c);
              add<all_count>(value[c], ExactShare<Law>::of(energy, n), batch.smallest);
            }
          }
        }
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

__device__ IndexedValue larger(const IndexedValue& a, const IndexedValue& b) {
  const bool take_b = b.value > a.value || (b.value == a.value && b.index < a.index);
  return take_b ? b : a;
}

__device__ IndexedValue largest_of_warp(IndexedValue value) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    value = larger(value, {__shfl_xor_sync(~0U, value.value, lanes),
                           __shfl_xor_sync(~0U, value.index, lanes)});
  }
  return value;
}

/// A block takes tiles blockIdx.x, + gridDim.x, ...; a thread holds `cells` consecutive cells of a
/// tile.
template <class Law, int cells, bool all_count>
__global__ void __launch_bounds__(most_threads, 1) batch_kernel(const BatchParameters batch) {
  __shared__ IndexedValue of_warp[StormBatch::most_storms][most_warps];
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const std::int64_t tile_cells = std::int64_t{blockDim.x} * cells;
  const std::int64_t margin = batch.storms + 1;
  const std::int64_t own = tile_cells - 2 * margin;
  if (thread % 32 == 0) {
    for (int storm = 0; storm < batch.storms; ++storm) of_warp[storm][warp] = {0, -1};
  }

  for (std::int64_t tile = blockIdx.x; tile * own < batch.window.cells; tile += gridDim.x) {
    const std::int64_t tile_first = tile * own - margin;
    const std::int64_t k0 = tile_first + std::int64_t{thread} * cells;
    // Bounds in the thread's own cells: those of the window, its interior, the peaks to report.
    const auto local = [&](std::int64_t cell) {
      return static_cast<int>(min(max(cell - k0, std::int64_t{0}), std::int64_t{cells}));
    };
    const int interior_begin = local(1);
    const int interior_end = local(batch.window.cells - 1);
    const std::int64_t own_first = tile * own;
    const int peak_begin = max(interior_begin, local(max(own_first, batch.window.own_begin)));
    const int peak_end = min(interior_end, local(min(own_first + own, batch.window.own_end)));

    float value[cells];
#pragma unroll
    for (int c = 0; c < cells; ++c) {
      const std::int64_t k = k0 + c;
      const bool inside = batch.before != nullptr && 0 <= k && k < batch.window.cells;
      value[c] = inside ? batch.before[k] : 0.0F;
    }

    std::int64_t begin = 0;
    for (int storm = 0; storm < batch.storms; ++storm) {
      add_storm<Law, cells, all_count>(value, batch, begin, batch.ends[storm], tile_first);
      begin = batch.ends[storm];

      float2 beside = neighbours(value, 0);
      float left = beside.x;
#pragma unroll
      for (int c = 0; c < cells; ++c) {
        const float right = c + 1 < cells ? value[c + 1] : beside.y;
        const float relaxed = third(left + value[c] + right);
        left = value[c];
        if (interior_begin <= c && c < interior_end) value[c] = relaxed;
      }

      beside = neighbours(value, 1);
      IndexedValue largest{0, -1};
      left = beside.x;
#pragma unroll
      for (int c = 0; c < cells; ++c) {
        const float right = c + 1 < cells ? value[c + 1] : beside.y;
        const bool peak = value[c] > left && value[c] > right && peak_begin <= c && c < peak_end;
        if (peak && value[c] > largest.value) largest = {value[c], k0 + c};
        left = value[c];
      }
      // Tiles come in ascending order: an equal peak of a later tile never wins.
      if (__any_sync(~0U, largest.value > of_warp[storm][warp].value)) {
        largest = larger(of_warp[storm][warp], largest_of_warp(largest));
        __syncwarp();
        if (thread % 32 == 0) of_warp[storm][warp] = largest;
        __syncwarp();
      }
    }

    if (batch.after != nullptr) {
      const std::int64_t write_end = min(own_first + own, batch.window.cells);
#pragma unroll
      for (int c = 0; c < cells; ++c) {
        if (own_first <= k0 + c && k0 + c < write_end) batch.after[k0 + c] = value[c];
      }
    }
  }

  __syncthreads();
  for (int storm = thread; storm < batch.storms; storm += static_cast<int>(blockDim.x)) {
    IndexedValue largest{0, -1};
    for (int w = 0; w < warps; ++w) {
      if (of_warp[storm][w].index >= 0) largest = larger(largest, of_warp[storm][w]);
    }
    batch.tile_maxima[std::int64_t{storm} * gridDim.x + blockIdx.x] = largest;
  }
}

/// Block s reduces storm s.
__global__ void reduce_tile_maxima(const IndexedValue* tile_maxima, int tiles,
                                   IndexedValue* maxima) {
  __shared__ IndexedValue of_warp[32];
  const IndexedValue* mine = tile_maxima + std::int64_t{blockIdx.x} * tiles;
  IndexedValue largest{0, -1};
  const auto take = [&](const IndexedValue& other) {
    if (other.index >= 0) largest = larger(largest, other);
  };
  for (int i = static_cast<int>(threadIdx.x); i < tiles; i += static_cast<int>(blockDim.x)) {
    take(mine[i]);
  }
  largest = largest_of_warp(largest);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = largest;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned w = 1; w < blockDim.x / 32; ++w) take(of_warp[w]);
    maxima[blockIdx.x] = largest;
  }
}

using BatchKernel = void (*)(BatchParameters);

template <class Law, bool all_count>
BatchKernel kernel_for(int cells_a_thread) {
  switch (cells_a_thread) {
    case 1:
      return batch_kernel<Law, 1, all_count>;
    case 2:
      return batch_kernel<Law, 2, all_count>;
    case 4:
      return batch_kernel<Law, 4, all_count>;
    case 8:
      return batch_kernel<Law, 8, all_count>;
    case 10:
      return batch_kernel<Law, 10, all_count>;
    default:
      return batch_kernel<Law, 12, all_count>;
  }
}

struct TileShape {
  int cells_a_thread, warps;
  std::int64_t tiles;
};

/// The shape with the least work on the busiest multiprocessor. A tile's work is its cells, margins
/// included, times the instructions of an interaction: 12, and 2 more a thread and impact. Fewer
/// than two warps on each of the four schedulers leave them idle at times.
TileShape shape_for(std::int64_t window_cells, int storms, int multiprocessors) {
  TileShape best{};
  double least = DBL_MAX;
  for (const int cells_a_thread : {1, 2, 4, 8, 10, 12}) {
    for (int warps = 4; warps <= most_warps; warps += 4) {
      const std::int64_t tile = std::int64_t{32} * warps * cells_a_thread;
      const std::int64_t own = tile - 2 * (storms + 1);
      if (own <= 0) continue;
      const std::int64_t tiles = (window_cells + own - 1) / own;
      const std::int64_t a_multiprocessor = (tiles + multiprocessors - 1) / multiprocessors;
      const std::int64_t resident_warps =
          std::min<std::int64_t>(a_multiprocessor, most_warps / warps) * warps;
      const double idle = resident_warps < 8 ? 1.5 : resident_warps < 16 ? 1.05 : 1.0;
      const double work =
          static_cast<double>(a_multiprocessor * tile) * (12.0 + 2.0 / cells_a_thread) * idle;
      if (work < least) {
        least = work;
        best = {cells_a_thread, warps, tiles};
      }
    }
  }
  return best;
}

}  // namespace

template <class Law>
void apply_batch(const StormBatch& batch, const Window& window, std::span<const float> before,
                 std::span<float> after, std::span<IndexedValue> maxima) {
  int device = 0;
  int multiprocessors = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "reading a device attribute");

  const auto storms = static_cast<int>(batch.ends.size());
  const TileShape shape = shape_for(window.cells, storms, multiprocessors);
  const std::int64_t blocks = std::min<std::int64_t>(
      shape.tiles, std::int64_t{multiprocessors} * (most_warps / shape.warps));
  DeviceArray<IndexedValue> tile_maxima(storms * blocks);

  BatchParameters parameters{.impacts = batch.impacts.data(),
                             .ends = {},
                             .storms = storms,
                             .smallest = batch.smallest,
                             .window = window,
                             .before = before.data(),
                             .after = after.data(),
                             .tile_maxima = tile_maxima.span().data()};
  std::copy(batch.ends.begin(), batch.ends.end(), parameters.ends);
  const BatchKernel kernel = batch.all_count ? kernel_for<Law, true>(shape.cells_a_thread)
                                             : kernel_for<Law, false>(shape.cells_a_thread);
  launch("storm batch", {blocks, 32 * shape.warps}, kernel, parameters);
  launch("reduce tile maxima", {storms, 256}, reduce_tile_maxima, tile_maxima.span().data(),
         static_cast<int>(blocks), maxima.data());
}

template void apply_batch<SquareRootLaw>(const StormBatch&, const Window&, std::span<const float>,
                                         std::span<float>, std::span<IndexedValue>);

}  // namespace bombard::cuda
