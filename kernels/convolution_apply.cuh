#pragma once

// What becomes of a tile's cells: the sums are added, the cells relaxed, and the highest peak found
// (docs/methods.md, The convolution).

#include <cuda_pipeline.h>

#include <cmath>
#include <cstdint>
#include <nv/target>

#include "kernels/convolution.hpp"
#include "kernels/convolution_gather.cuh"
#include "kernels/convolution_states.cuh"
#include "kernels/convolution_tile.cuh"
#include "kernels/launch.cuh"

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
  double growth, rounding;
  std::int64_t own_begin, own_end;  ///< cells that may be peaks
  LayerPeak* tile_peaks;
  double* tile_tops;  ///< the largest value plus uncertainty of each tile
  /// Counts the tiles that are done, 0 before and after, for the last one to find the highest of
  /// all peaks; nullptr: a kernel of its own does that.
  unsigned* finished;
  Screened* found;
};

__device__ inline LayerPeak higher(const LayerPeak& a, const LayerPeak& b) {
  const bool take_b =
      b.cell >= 0 && (a.cell < 0 || b.value > a.value || (b.value == a.value && b.cell < a.cell));
  return take_b ? b : a;
}

__device__ inline LayerPeak highest_of_warp(LayerPeak peak) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    peak = higher(
        peak, {__shfl_down_sync(~0U, peak.value, lanes), __shfl_down_sync(~0U, peak.cell, lanes)});
  }
  return peak;
}

/// The highest of so many peaks, `stride` apart, by one block; thread 0 knows it.
__device__ inline LayerPeak highest_of(const LayerPeak* peaks, std::int64_t count,
                                       std::int64_t stride) {
  LayerPeak peak{0, -1};
#pragma unroll 4
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    peak = higher(peak, peaks[i * stride]);
  }
  __shared__ LayerPeak of_warp[32];
  peak = highest_of_warp(peak);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = peak;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < static_cast<int>(blockDim.x) / 32; ++w) peak = higher(peak, of_warp[w]);
  }
  return peak;
}

__device__ inline unsigned largest_of_warp(unsigned number) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80, (return __reduce_max_sync(~0U, number);),
                    (for (int lanes = 16; lanes > 0; lanes /= 2) {
                      number = max(number, __shfl_xor_sync(~0U, number, lanes));
                    } return number;))
}
__device__ inline unsigned smallest_of_warp(unsigned number) {
  return ~largest_of_warp(~number);
}

/// Of numbers in binary64, none of them NaN: their bits are in the same order, those of negative
/// ones the other way round.
__device__ inline double largest_of_warp(double number) {
  constexpr long long sign = 1LL << 63;
  long long bits = __double_as_longlong(number);
  bits ^= bits < 0 ? -1 : sign;
  const unsigned upper = largest_of_warp(static_cast<unsigned>(bits >> 32));
  const bool may_be = upper == static_cast<unsigned>(bits >> 32);
  const unsigned lower = largest_of_warp(may_be ? static_cast<unsigned>(bits) : 0U);
  bits = static_cast<long long>(std::uint64_t{upper} << 32 | lower);
  return __longlong_as_double(bits ^ (bits < 0 ? sign : -1));
}

/// As an upper bound for a binary64 value, in binary32 (docs/methods.md, (3)).
__device__ inline float rounded_up(double bound) {
  return static_cast<float>(fma(bound, 1 + 0x1p-21, 1e-37));
}

/// The highest peak that a thread or more have seen, and the largest value plus uncertainty.
struct Highest {
  double peak = 0;
  int cell = -1;  ///< of the tile
  double top = -INFINITY;
};

/// Where a tile's cells, counted from its first one, lie in the layer.
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
  __device__ LayerPeak in_layer(const Highest& of_tile) const {
    return {of_tile.peak, of_tile.cell < 0 ? -1 : first + of_tile.cell};
  }
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
      if (strict && pair[c] > highest.peak && i + c >= own_begin && i + c < own_end) {
        highest.peak = pair[c];
        highest.cell = i + c;
      }
    }
  }
  return highest;
}
static_assert(tile_chunks % tile_warps == 0);

/// What the threads of a tile have found, for the whole of it.
__device__ inline void note(const Cells& cells, const Place& place, const Highest& highest) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  __shared__ Highest of_warp[tile_warps];
  Highest all{.peak = largest_of_warp(highest.peak), .top = largest_of_warp(highest.top)};
  // No cell, -1, is the largest of unsigned numbers.
  all.cell = static_cast<int>(
      smallest_of_warp(highest.peak == all.peak ? static_cast<unsigned>(highest.cell) : ~0U));
  if (lane == 0) of_warp[warp] = all;
  __syncthreads();
  if (threadIdx.x == 0) {
    LayerPeak peak = place.in_layer(all);
    for (int w = 1; w < tile_warps; ++w) {
      peak = higher(peak, place.in_layer(of_warp[w]));
      all.top = fmax(all.top, of_warp[w].top);
    }
    cells.tile_peaks[place.tile] = peak;
    cells.tile_tops[place.tile] = all.top;
  }
}

/// Old values of the thread's cells, 0 outside the layer.
__device__ inline OfCells values_before(const Cells& cells, const Place& place) {
  OfCells values{};
  if (cells.fresh) return values;
  // The two ways apart: nothing then waits for what is loaded here until it is used.
  if (place.interior()) {
    for_each_pair([&](int block, int mirrored, int row, int column) {
      const auto two =
          *reinterpret_cast<const double2*>(cells.value.before(place.tile, row, column));
      values.of[block][mirrored][0] = two.x;
      values.of[block][mirrored][1] = two.y;
    });
  } else {
    for_each_pair([&](int block, int mirrored, int row, int column) {
      const double* const two = cells.value.before(place.tile, row, column);
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        if (place.holds((row - 1) * width + column + c)) values.of[block][mirrored][c] = two[c];
      }
    });
  }
  return values;
}

/// Has them on their way to the second-level cache, where they take no registers.
__device__ inline void prefetch_values_before(const Cells& cells, const Place& place) {
  constexpr int line = 128 / sizeof(double);
  const int i = line * static_cast<int>(threadIdx.x);
  if (cells.fresh || i >= tile_cells || !place.holds(i)) return;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(cells.value.of_cell + place.first + i));
}

__device__ inline OfCells uncertainties_before(const Cells& cells, const Place& place) {
  OfCells uncertainties{};
  for_each_pair([&](int block, int mirrored, int row, int column) {
    const float* const two = cells.uncertainty.before(place.tile, row, column);
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      if (place.holds((row - 1) * width + column + c)) {
        uncertainties.of[block][mirrored][c] = two[c];
      }
    }
  });
  return uncertainties;
}

/// Adds the sums to a tile's cells and finishes them. The first of several storms that were
/// gathered waits for that; behind it, all that sums are made of is there, and they are computed
/// beside the storm before. (A kernel begins once those before it have let it, and this one lets
/// others only after it has waited itself: nothing ever begins before the gathering is done.)
template <bool tracked, int resident_blocks>
__global__ void __launch_bounds__(tile_threads, resident_blocks)
    apply_kernel(const Terms t, const NearTiles near, const SourceArray<std::int64_t> energies,
                 const SourceArray<double> uncertainties, const States states,
                 const States uncertainty_states, const Cells cells, const bool first) {
  extern __shared__ double memory[];
  if (first || tracked) {
    wait_for_previous();
    let_next_begin();
  }
  const Scratch scratch(memory, t.terms);
  const std::int64_t tile = near(blockIdx.x, t.tiles);
  if (tile < 0 || !near.took(tile, blockIdx.x)) return;
  const Ahead ahead(t, energies.mask, states, tile);
  const Ahead uncertainty_ahead =
      tracked ? Ahead(t, uncertainties.mask, uncertainty_states, tile) : ahead;
  const Place place(tile, cells.count);
  prefetch_values_before(cells, place);

  OfCells uncertainty{};
  if constexpr (tracked) {
    uncertainty = uncertainties_before(cells, place);
    const OfCells value = values_before(cells, place);
    const OfCells sum =
        evaluate(scratch, t, uncertainties, uncertainty_states, tile, uncertainty_ahead);
    __syncthreads();
#pragma unroll
    for (int block = 0; block < row_blocks; ++block) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        double& known = uncertainty.of[block][c / 2][c % 2];
        known += cells.growth * (known + fabs(value.of[block][c / 2][c % 2])) +
                 sum.of[block][c / 2][c % 2];
      }
    }
  }
  const OfCells sum = evaluate(scratch, t, energies, states, tile, ahead);
  if (!first && !tracked) {
    wait_for_previous();
    let_next_begin();
  }
  OfCells value = values_before(cells, place);
  __syncthreads();
  for_each_pair([&](int block, int mirrored, int row, int column) {
    double(&here)[2] = value.of[block][mirrored];
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      here[c] += sum.of[block][mirrored][c];
      if constexpr (tracked) {
        uncertainty.of[block][mirrored][c] += cells.rounding * fabs(here[c]);
      }
    }
    store_pair(scratch.value, row, column, here);
    if constexpr (tracked) {
      store_pair(scratch.uncertainty, row, column, uncertainty.of[block][mirrored]);
    }
  });
  __syncthreads();
  note(cells, place,
       place.interior() ? relax<tracked, true>(cells, place, scratch.value, scratch.uncertainty)
                        : relax<tracked, false>(cells, place, scratch.value, scratch.uncertainty));
  if (cells.finished == nullptr) return;

  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(cells.finished, 1U) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  const LayerPeak peak = highest_of(cells.tile_peaks, gridDim.x, 1);
  if (threadIdx.x == 0) {
    cells.found->peak = peak;
    cells.found->count = 0;
    *cells.finished = 0;
  }
}

/// Shared memory of a block that takes a quiet tile, in doubles.
struct QuietScratch {
  double* value;       ///< [evaluated_chunks][pitch]
  double* polynomial;  ///< [parity][seen_chunks][coefficients]
  double* state;       ///< [side][term], terms filled up to a multiple of 8

  static constexpr std::int64_t size(int terms) {
    return values_size + 2 * seen_chunks * coefficients + 2 * std::int64_t{8 * eights_of(terms)};
  }
  __device__ explicit QuietScratch(double* memory)
      : value(memory),
        polynomial(value + values_size),
        state(polynomial + 2 * seen_chunks * coefficients) {}
};

/// One of the tiles that see no impacts and none of the layer's ends; nothing happens to others.
__device__ inline void apply_to_quiet_tile(const Terms& t, const std::uint64_t* masks,
                                           const States& states, const Cells& cells) {
  extern __shared__ double memory[];
  __shared__ std::uint64_t seen[seen_chunks];
  const QuietScratch scratch(memory);
  const std::int64_t tile = blockIdx.x;
  const Place place(tile, cells.count);
  if (NearTiles::at_end(tile, t.tiles)) return;
  const Ahead ahead(t, masks, states, tile);
  if (!cells.fresh) {
    for_each_pair([&](int, int, int row, int column) {
      __pipeline_memcpy_async(scratch.value + row * pitch + column,
                              cells.value.before(tile, row, column), sizeof(double2));
    });
  }
  __pipeline_commit();
  if (share_masks(ahead.mask, seen)) {
    __pipeline_wait_prior(0);
    return;
  }
  quiet_polynomials(t, states, tile, ahead, scratch.state, scratch.polynomial);
  __syncthreads();
  OfCells value = values_of(scratch.polynomial, t).cells();
  __pipeline_wait_prior(0);  // a thread's own cells
  for_each_pair([&](int block, int mirrored, int row, int column) {
    double(&here)[2] = value.of[block][mirrored];
    if (!cells.fresh) {
      const double2 old = *reinterpret_cast<double2*>(scratch.value + row * pitch + column);
      here[0] += old.x;
      here[1] += old.y;
    }
    store_pair(scratch.value, row, column, here);
  });
  __syncthreads();
  note(cells, place, relax<false, true>(cells, place, scratch.value, nullptr));
}

/// The quiet tiles, with less memory for a tile and so more tiles at a time, beside apply_kernel,
/// which takes the others.
constexpr int resident_quiet_tiles = 7;
__global__ void __launch_bounds__(tile_threads, resident_quiet_tiles)
    quiet_kernel(const Terms t, const std::uint64_t* masks, const States states,
                 const Cells cells) {
  apply_to_quiet_tile(t, masks, states, cells);
  wait_for_previous();
}

/// Of each run of tiles the highest peak, in the place of the run's first: a block each.
constexpr int peak_threads = 1024;
constexpr std::int64_t peak_tiles = 1 << 11;
/// So many tiles' peaks one block looks through.
constexpr std::int64_t most_peaks_of_block = 1 << 13;
__global__ void __launch_bounds__(peak_threads)
    highest_of_runs_kernel(LayerPeak* of_tile, std::int64_t tiles) {
  follow_previous();
  const std::int64_t begin = blockIdx.x * peak_tiles;
  const LayerPeak peak = highest_of(of_tile + begin, min(peak_tiles, tiles - begin), 1);
  if (threadIdx.x == 0) of_tile[begin] = peak;
}

__global__ void __launch_bounds__(peak_threads)
    highest_peak_kernel(const LayerPeak* peaks, std::int64_t count, std::int64_t stride,
                        Screened* found) {
  follow_previous();
  const LayerPeak peak = highest_of(peaks, count, stride);
  if (threadIdx.x == 0) {
    found->peak = peak;
    found->count = 0;
  }
}

}  // namespace bombard::cuda
