// A storm is added to the layer, tile by tile (docs/methods.md, The fast layer): its sums are added
// to the cells, which are then relaxed and searched for their highest peak. A block of threads
// takes a tile.

#include <cmath>
#include <cub/block/block_reduce.cuh>

#include "kernels/convolution/cuda/apply.hpp"
#include "kernels/convolution/cuda/cells.cuh"
#include "kernels/convolution/cuda/tile_sums.cuh"
#include "kernels/device/last_block.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/reduction/highest_peak.cuh"

namespace bombard::cuda {

namespace {

/// The numbers of the thread's cells before the storm; 0 for those that the tile does not hold. Its
/// outermost cells, and those in its halo, are among the copies of edges: the right edge of the
/// tile before, [-1], [-2], the left one, the right one, and the left one of the next tile.
template <int tile_chunks, class Number>
__device__ ThreadCells<tile_chunks> numbers_before(const InPlace<Number>& numbers,
                                                   const TileInLayer& tile) {
  ThreadCells<tile_chunks> before;
  const Number* const edges = numbers.edges_before + 2 * tile.number * halo;
  for_each_cell<tile_chunks>([&](int i, int mirrored, int cell) {
    const Number* here = numbers.of_cell + tile.first + cell;
    if (i == 0 && warp() == 0) here = edges + cell;
    if (i == ThreadCells<tile_chunks>::chunks - 1 && warp() == tile_warps - 1) {
      here = edges + 2 * halo + cell - tile_chunks * width;
    }
    if (tile.holds(cell, halo)) before.of[i][mirrored] = *here;
  });
  return before;
}

/// Writes one of the thread's numbers for the next storm to the layer and the copy of the edges.
template <int tile_chunks, class Number>
__device__ void keep(const InPlace<Number>& numbers, const TileInLayer& tile, int i, int cell,
                     Number number) {
  numbers.of_cell[tile.first + cell] = number;
  Number* const edges = numbers.edges_after + 2 * tile.number * halo;
  if (i == 0 && cell < halo) edges[cell] = number;
  const int to_end = cell - tile_chunks * width;
  if (i == ThreadCells<tile_chunks>::chunks - 1 && to_end >= -halo) {
    edges[2 * halo + to_end] = number;
  }
}

/// Calls use(i, mirrored, cell, left, right) for the thread's cells and their neighbours' numbers,
/// which come from other lanes and from the chunks on either side. All threads must call it.
template <int tile_chunks, class Use>
__device__ void with_neighbours(double (&border)[evaluated_chunks(tile_chunks) + 2][2],
                                const ThreadCells<tile_chunks>& numbers, const Use& use) {
  if (lane() == 0) {
    for_each_cell<tile_chunks>([&](int i, int mirrored, int) {
      border[1 + warp() + i * tile_warps][mirrored] = numbers.of[i][mirrored];
    });
  }
  __syncthreads();
  for_each_cell<tile_chunks>([&](int i, int mirrored, int cell) {
    const double(&of)[2] = numbers.of[i];
    const int c = 1 + warp() + i * tile_warps;
    double outwards = __shfl_up_sync(~0U, of[mirrored], 1);
    double inwards = __shfl_down_sync(~0U, of[mirrored], 1);
    if (lane() == 0) outwards = mirrored ? border[c + 1][0] : border[c - 1][1];
    if (lane() == 31) inwards = of[1 - mirrored];
    use(i, mirrored, cell, mirrored ? inwards : outwards, mirrored ? outwards : inwards);
  });
}

/// Each cell becomes the mean of itself and its neighbours; the layer's two ends stay as they are.
template <int tile_chunks>
__device__ ThreadCells<tile_chunks> relaxed(double (&border)[evaluated_chunks(tile_chunks) + 2][2],
                                            const TileInLayer& tile,
                                            const ThreadCells<tile_chunks>& numbers) {
  ThreadCells<tile_chunks> means;
  with_neighbours<tile_chunks>(
      border, numbers, [&](int i, int mirrored, int cell, double left, double right) {
        const double here = numbers.of[i][mirrored];
        means.of[i][mirrored] = tile.at_end(cell) ? here : (left + here + right) * (1.0 / 3);
      });
  return means;
}

/// The highest peak that was seen, and the largest value plus uncertainty.
struct Highest {
  LayerPeak peak{0, -1};
  double top = -INFINITY;
};

/// Writes the relaxed cells to the layer and looks for the thread's highest peak.
template <int tile_chunks, bool tracked>
__device__ Highest store_and_find_peak(Scratch<tile_chunks>& scratch, const LayerArrays& cells,
                                       const TileInLayer& tile,
                                       const ThreadCells<tile_chunks>& value,
                                       const ThreadCells<tile_chunks>& uncertainty) {
  const int own_begin = tile.in_tile(cells.own_begin), own_end = tile.in_tile(cells.own_end);
  Highest highest;
  with_neighbours<tile_chunks>(
      scratch.border[1], value, [&](int i, int mirrored, int cell, double left, double right) {
        if (!tile.holds(cell, 0)) return;
        const double here = value.of[i][mirrored];
        double top = here;
        keep<tile_chunks>(cells.value, tile, i, cell, here);
        if constexpr (tracked) {
          const float off = rounded_up(uncertainty.of[i][mirrored]);
          keep<tile_chunks>(cells.uncertainty, tile, i, cell, off);
          top += static_cast<double>(off);
        }
        highest.top = top > highest.top ? top : highest.top;
        if (here > left && here > right && here > 0 && cell >= own_begin && cell < own_end) {
          highest.peak = higher(highest.peak, {here, tile.first + cell});
        }
      });
  return highest;
}

struct HigherPeak {
  __device__ LayerPeak operator()(const LayerPeak& a, const LayerPeak& b) const {
    return higher(a, b);
  }
};

/// The highest peak of a block's threads, returned in thread 0. All threads must call it.
__device__ LayerPeak highest_of_block(const LayerPeak& peak) {
  using Reduce = cub::BlockReduce<LayerPeak, tile_threads>;
  __shared__ typename Reduce::TempStorage storage;
  // Most tiles far from the impacts have no peak.
  if (__syncthreads_or(peak.index >= 0) == 0) return peak;
  return Reduce(storage).Reduce(peak, HigherPeak());
}

/// Keeps the highest that the threads have found in the tile. The last block combines the peaks of
/// all tiles, with which the storm's findings begin.
__device__ void publish_peak(const LayerArrays& cells, const TileInLayer& tile, std::int64_t tiles,
                             const Highest& highest) {
  using Reduce = cub::BlockReduce<float, tile_threads>;
  __shared__ typename Reduce::TempStorage storage;
  LayerPeak peak = highest_of_block(highest.peak);
  const float top = Reduce(storage).Reduce(__double2float_ru(highest.top),
                                           [](float a, float b) { return fmaxf(a, b); });
  if (threadIdx.x == 0) {
    cells.tile_peaks[tile.number] = peak;
    cells.tile_tops[tile.number] = top;
  }
  if (!is_last_block(cells.arrived, gridDim.x)) return;
  peak = {0, -1};
#pragma unroll 8
  for (std::int64_t i = threadIdx.x; i < tiles; i += tile_threads) {
    peak = higher(peak, cells.tile_peaks[i]);
  }
  peak = highest_of_block(peak);
  if (threadIdx.x != 0) return;
  *cells.found = {peak, 0, 0};
}

/// Prefetches the tile's cells into the second-level cache, where they take no registers.
__device__ void prefetch_values_before(const LayerArrays& cells, const TileInLayer& tile) {
  constexpr int line = 128 / sizeof(double);
  static_assert(line * tile_threads >= many_chunks * width);
  const int i = line * static_cast<int>(threadIdx.x);
  if (cells.fresh || !tile.holds(i, 0)) return;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(cells.value.of_cell + tile.first + i));
}

/// The number of blocks on a multiprocessor for which the kernel leaves registers.
template <bool tracked>
constexpr int resident_tiles = tracked ? 3 : 4;

template <int tile_chunks, SumsFrom from, bool tracked>
__global__ void __launch_bounds__(tile_threads, resident_tiles<tracked>)
    apply_kernel(const TileStorm storm, const Tiling tiling, const LayerArrays cells) {
  __shared__ Scratch<tile_chunks> scratch;
  const TileInLayer tile(blockIdx.x, tile_chunks * width, cells.count);
  prefetch_values_before(cells, tile);
  const auto values_before = [&] {
    return cells.fresh ? ThreadCells<tile_chunks>{}
                       : numbers_before<tile_chunks>(cells.value, tile);
  };
  ThreadCells<tile_chunks> uncertainty;
  if constexpr (tracked) {
    uncertainty = sums_of_tile<tile_chunks, from>(scratch, storm, tiling, of_uncertainties, tile);
    const ThreadCells<tile_chunks> value = values_before();  // loaded twice, for want of registers
    const ThreadCells<tile_chunks> before = numbers_before<tile_chunks>(cells.uncertainty, tile);
    for_each_cell<tile_chunks>([&](int i, int m, int) {
      uncertainty.of[i][m] +=
          before.of[i][m] + cells.of_storm.growth * (before.of[i][m] + fabs(value.of[i][m]));
    });
    __syncthreads();
  }
  const ThreadCells<tile_chunks> sum =
      sums_of_tile<tile_chunks, from>(scratch, storm, tiling, of_energies, tile);
  ThreadCells<tile_chunks> value = values_before();
  for_each_cell<tile_chunks>([&](int i, int m, int) {
    value.of[i][m] += sum.of[i][m];
    if constexpr (tracked) {
      uncertainty.of[i][m] += cells.of_storm.rounding * fabs(value.of[i][m]);
    }
  });
  if constexpr (tracked) uncertainty = relaxed(scratch.border[1], tile, uncertainty);
  value = relaxed(scratch.border[0], tile, value);
  publish_peak(cells, tile, tiling.tiles,
               store_and_find_peak<tile_chunks, tracked>(scratch, cells, tile, value, uncertainty));
}

template <int tile_chunks, bool tracked>
auto kernel_for(const TileStorm& storm) {
  return storm.tables.target == nullptr
             ? apply_kernel<tile_chunks, SumsFrom::polynomials, tracked>
             : apply_kernel<tile_chunks, SumsFrom::exponentials, tracked>;
}

}  // namespace

void apply(const TileStorm& storm, const Tiling& tiling, const LayerArrays& cells, bool tracked) {
  with_chunks_of_tile(tiling.tile_chunks, [&]<int tile_chunks>() {
    launch("apply", {tiling.tiles, tile_threads},
           tracked ? kernel_for<tile_chunks, true>(storm) : kernel_for<tile_chunks, false>(storm),
           storm, tiling, cells);
  });
}

}  // namespace bombard::cuda
