#pragma once

// The last steps of a tile's cells, when the sums are added: they are relaxed, and the highest peak
// is found (docs/methods.md, The fast layer).

#include <cmath>
#include <cstdint>

#include "kernels/convolution/candidates.hpp"
#include "kernels/convolution/cuda/far.cuh"
#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/device/last_block.cuh"
#include "kernels/layer/higher_peak.cuh"

namespace bombard::cuda {

/// A number for each cell of the layer. Tiles replace those of their own cells; what a tile needs
/// of its neighbours it takes from copies of their edges, [tile][side][halo], made by the storm
/// before.
template <class Number>
struct InPlace {
  Number* of_cell;
  const Number* edges_before;
  Number* edges_after;

  /// The numbers of two cells of a tile before the storm.
  __device__ const Number* before(std::int64_t tile, int row, int column) const {
    if (row == 0) return edges_before + (2 * tile - 1) * halo;
    if (row == evaluated_chunks - 1) return edges_before + (2 * tile + 2) * halo;
    return of_cell + tile * tile_cells - first_cell + (row - 1) * width + column;
  }
  /// The tile's copy for the storm to come, if cell i of it and the next are at an edge.
  __device__ void keep_edge(std::int64_t tile, int i, Number first, Number second) const {
    if (i != 0 && i != tile_cells - halo) return;
    Number* const edge = edges_after + (2 * tile + (i == 0 ? 0 : 1)) * halo;
    edge[0] = first;
    edge[1] = second;
  }
};
static_assert(halo == 2);

/// The layer's cells as the kernels below work on them.
struct Cells {
  std::int64_t count;
  bool fresh;  ///< all values are 0 still, and not in memory
  InPlace<double> value;
  InPlace<float> uncertainty;
  UncertaintyGrowth growth;
  std::int64_t own_begin, own_end;  ///< cells that may be peaks
  LayerPeak* tile_peaks;
  double* tile_tops;  ///< the largest value plus uncertainty of each tile
  /// Counts the tiles of each group that are done, and behind those the groups; 0 before and after.
  unsigned* finished;
  Screened* found;
};

/// The highest peak that a thread or more have seen, and the largest value plus uncertainty.
struct Highest {
  LayerPeak peak{0, -1};
  double top = -INFINITY;
};

/// The places of a tile's cells, counted from its first one, in the layer.
struct Place {
  std::int64_t tile, first;
  int layer_begin, layer_end;  ///< as far as it matters here

  __device__ Place(std::int64_t of_tile, std::int64_t cells)
      : tile(of_tile),
        first(tile * tile_cells - first_cell),
        layer_begin(in_tile(0)),
        layer_end(in_tile(cells)) {}

  __device__ int in_tile(std::int64_t cell) const {
    constexpr std::int64_t beyond = 2 * halo;
    return static_cast<int>(min(max(cell - first, -beyond), tile_cells + beyond));
  }
  /// All cells that the tile evaluates are in the layer, and none at its ends.
  __device__ bool interior() const { return layer_begin < -halo && layer_end >= tile_cells + halo; }
  __device__ bool holds(int i) const { return i >= layer_begin && i < layer_end; }
  __device__ bool at_end(int i) const { return i == layer_begin || i == layer_end - 1; }
};

__device__ inline void store_pair(double* values, int row, int column, const double (&pair)[2]) {
  *reinterpret_cast<double2*>(values + row * pitch + column) = {pair[0], pair[1]};
}

/// Two relaxed cells a lane, of a chunk in shared memory [evaluated_chunks][pitch], and the
/// relaxed cells beside them.
template <bool interior>
struct RelaxedPair {
  double before, first, second, behind;

  __device__ RelaxedPair(const Place& place, const double* values, int row) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int i = (row - 1) * width + 2 * lane;
    const double* const chunk = values + row * pitch;
    const auto two = [](const double* from) { return *reinterpret_cast<const double2*>(from); };
    const double2 here = two(chunk + 2 * lane);
    const double2 left_chunk = two(chunk - pitch + width - 2);
    const double2 right_chunk = two(chunk + pitch);
    const double left = __shfl_up_sync(~0U, here.y, 1);
    const double right = __shfl_down_sync(~0U, here.x, 1);
    first = relaxed(place, i, lane == 0 ? left_chunk.y : left, here.x, here.y);
    second = relaxed(place, i + 1, here.x, here.y, lane == 31 ? right_chunk.x : right);
    before = __shfl_up_sync(~0U, second, 1);
    behind = __shfl_down_sync(~0U, first, 1);
    if (lane == 0) before = relaxed(place, i - 1, left_chunk.x, left_chunk.y, here.x);
    if (lane == 31) behind = relaxed(place, i + 2, here.y, right_chunk.x, right_chunk.y);
  }

 private:
  /// The mean of cell i of the tile and its neighbours; the layer's two ends stay as they are.
  __device__ static double relaxed(const Place& place, int i, double left, double here,
                                   double right) {
    return !interior && place.at_end(i) ? here : (left + here + right) * (1.0 / 3);
  }
};

/// Relaxes a tile's cells, which all threads have written to shared memory at `values`
/// [evaluated_chunks][pitch], writes them to the layer and looks for the highest peak; of
/// `uncertainties`, laid out like them, if tracked.
template <bool tracked, bool interior>
__device__ Highest relax(const Cells& cells, const Place& place, const double* values,
                         const double* uncertainties) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int begin = interior ? 0 : max(place.layer_begin, 0);
  const int end = interior ? tile_cells : min(place.layer_end, tile_cells);
  const int own_begin = place.in_tile(cells.own_begin);
  const int own_end = place.in_tile(cells.own_end);
  Highest highest;
#pragma unroll 1  // registers are scarce
  for (int step = 0; step < tile_chunks / tile_warps; ++step) {
    const int row = 1 + warp + step * tile_warps;
    const int i = (row - 1) * width + 2 * lane;
    const RelaxedPair<interior> value(place, values, row);
    const double pair[2] = {value.first, value.second};
    double* const to = cells.value.of_cell + place.first + i;
    const auto in_layer = [&](int c) { return interior || (i + c >= begin && i + c < end); };
    if constexpr (interior) *reinterpret_cast<double2*>(to) = {pair[0], pair[1]};
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      if (!interior && in_layer(c)) to[c] = pair[c];
    }
    cells.value.keep_edge(place.tile, i, pair[0], pair[1]);
    if constexpr (tracked) {
      const RelaxedPair<interior> uncertainty(place, uncertainties, row);
      const float off[2] = {rounded_up(uncertainty.first), rounded_up(uncertainty.second)};
      cells.uncertainty.keep_edge(place.tile, i, off[0], off[1]);
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        if (!in_layer(c)) continue;
        cells.uncertainty.of_cell[place.first + i + c] = off[c];
        highest.top = fmax(highest.top, pair[c] + static_cast<double>(off[c]));
      }
    }
    // The highest cell is no lower than its neighbours, or it is the first or the last.
    const bool high = (pair[0] >= value.before && pair[0] >= pair[1]) ||
                      (pair[1] >= pair[0] && pair[1] >= value.behind) || i <= begin ||
                      i + 1 >= end - 1;
    if (!high) continue;
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      if (!in_layer(c)) continue;
      if constexpr (!tracked) {
        if (pair[c] > highest.top) highest.top = pair[c];
      }
      const bool strict = c == 0 ? pair[0] > value.before && pair[0] > pair[1]
                                 : pair[1] > pair[0] && pair[1] > value.behind;
      // Cells come in rising order: of equal peaks the first one stays.
      if (strict && pair[c] > highest.peak.value && i + c >= own_begin && i + c < own_end) {
        highest.peak = {pair[c], place.first + i + c};
      }
    }
  }
  return highest;
}
static_assert(tile_chunks % tile_warps == 0);

/// The highest of what a block's threads have seen. All threads take part, and thread 0 knows
/// it; a barrier lies between two calls.
__device__ inline Highest highest_of_block(Highest highest) {
  __shared__ Highest of_warp[tile_warps];
  highest.peak = highest_of_warp(highest.peak);
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    highest.top = fmax(highest.top, __shfl_down_sync(~0U, highest.top, lanes));
  }
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = highest;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < tile_warps; ++warp) {
      highest.peak = higher(highest.peak, of_warp[warp].peak);
      highest.top = fmax(highest.top, of_warp[warp].top);
    }
  }
  return highest;
}

/// The findings of the threads of a tile, for the whole tile.
__device__ inline void note(const Cells& cells, const Place& place, const Highest& of_thread) {
  const Highest highest = highest_of_block(of_thread);
  if (threadIdx.x != 0) return;
  cells.tile_peaks[place.tile] = highest.peak;
  cells.tile_tops[place.tile] = highest.top;
}

/// The highest of `count` peaks, `stride` apart; thread 0 knows it. All threads take part.
__device__ inline LayerPeak highest_of(const LayerPeak* peaks, unsigned count, unsigned stride) {
  Highest highest;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += tile_threads) {
    highest.peak = higher(highest.peak, peaks[i * stride]);
  }
  return highest_of_block(highest).peak;
}

/// Tiles whose peaks one block looks through.
inline constexpr unsigned group_tiles = 1 << 12;
__host__ __device__ inline unsigned groups_of(unsigned tiles) {
  return (tiles + group_tiles - 1) / group_tiles;
}

/// The last tile of a group that has its peak finds the highest of the group, and the last group
/// the highest of all.
__device__ inline void find_highest_if_last(const Cells& cells) {
  const unsigned group = blockIdx.x / group_tiles, groups = groups_of(gridDim.x);
  const unsigned tiles = min(group_tiles, gridDim.x - group * group_tiles);
  if (!is_last_block(cells.finished + group, tiles)) return;
  LayerPeak* const peaks = cells.tile_peaks + group * group_tiles;
  LayerPeak peak = highest_of(peaks, tiles, 1);
  if (groups > 1) {
    if (threadIdx.x == 0) *peaks = peak;
    if (!is_last_block(cells.finished + groups, groups)) return;
    peak = highest_of(cells.tile_peaks, groups, group_tiles);
  }
  if (threadIdx.x == 0) {
    cells.found->peak = peak;
    cells.found->count = 0;
  }
}

/// The values of a tile's cells after the impacts, in shared memory as relax() has them, become the
/// layer's. All threads take part.
template <bool tracked>
__device__ void finish(const Cells& cells, const Place& place, const double* values,
                       const double* uncertainties) {
  note(cells, place,
       place.interior() ? relax<tracked, true>(cells, place, values, uncertainties)
                        : relax<tracked, false>(cells, place, values, uncertainties));
  find_highest_if_last(cells);
}

}  // namespace bombard::cuda
