#pragma once

// How the states of the exponentials pass from tile to tile (docs/methods.md, The convolution).

#include <cmath>
#include <cstdint>

#include "kernels/convolution_shape.cuh"

namespace bombard::cuda {

/// The states of one side and term. Tiles are counted in the direction of the states: from the left
/// to the right, or from the right to the left.
struct Column {
  double* states;       ///< of the first tile on the way
  std::int64_t stride;  ///< to the next
  double a;             ///< the exponent, in tiles

  __device__ Column(int terms, std::int64_t tiles, std::int64_t cells, const double* exponents,
                    double* all, int item)
      : states(all + item),
        stride(2 * terms),
        a(exponents[item % terms] * static_cast<double>(cells)) {
    if (item >= terms) {
      states += (tiles - 1) * stride;
      stride = -stride;
    }
  }
};

/// Calls use(value, i) for count values, `stride` apart, in order; several are loaded at once.
template <class Use>
__device__ void for_each_in_order(const double* values, std::int64_t stride, std::int64_t count,
                                  const Use& use) {
  constexpr int at_once = 16;
  for (std::int64_t i = 0; i < count; i += at_once) {
    double loaded[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (i + k < count) loaded[k] = values[(i + k) * stride];
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (i + k < count) use(loaded[k], i + k);
    }
  }
}

/// The states that enter every tile, in place of what the tiles add: of tile b the sum over the
/// tiles b' before it of what b' adds times exp(-a cells (b - b' - 1)), where a tile has so many
/// `cells`. States are [field][tile][side][term]; a block a field, side and term, for not too many
/// tiles.
constexpr std::int64_t most_scanned_tiles = 1 << 14;
constexpr int scan_threads = 512;
__global__ void __launch_bounds__(scan_threads)
    scan_kernel(int terms, std::int64_t tiles, std::int64_t cells, const double* exponents,
                double* states) {
  const int item = static_cast<int>(blockIdx.x) % (2 * terms);
  const std::int64_t field = blockIdx.x / (2 * terms);
  const Column column(terms, tiles, cells, exponents, states + field * 2 * terms * tiles, item);
  const std::int64_t run = (tiles + scan_threads - 1) / scan_threads;
  const std::int64_t begin = min(threadIdx.x * run, tiles);
  const std::int64_t end = min(begin + run, tiles);
  const double decay = exp(-column.a);
  double* const own = column.states + begin * column.stride;
  double sum = 0;
  for_each_in_order(own, column.stride, end - begin,
                    [&](double added, std::int64_t) { sum = fma(sum, decay, added); });
  // Over the runs of a warp by doubling, over its warps one by one. The last runs may be shorter,
  // but nothing follows them.
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  double over_runs = exp(-column.a * static_cast<double>(run));
  const double over_lanes = exp(-column.a * static_cast<double>(run) * lane);
  for (int step = 1; step < 32; step *= 2) {
    const double before = __shfl_up_sync(~0U, sum, step);
    if (lane >= step) sum = fma(before, over_runs, sum);
    over_runs *= over_runs;
  }
  __shared__ double of_warp[scan_threads / 32];
  if (lane == 31) of_warp[warp] = sum;
  __syncthreads();
  double entering = 0;
  for (int w = 0; w < warp; ++w) entering = fma(entering, over_runs, of_warp[w]);
  const double before = __shfl_up_sync(~0U, sum, 1);
  double state = fma(entering, over_lanes, lane > 0 ? before : 0.0);
  for_each_in_order(own, column.stride, end - begin, [&](double added, std::int64_t i) {
    own[i * column.stride] = state;
    state = fma(state, decay, added);
  });
}

/// Many tiles are cut into runs: what each run adds is summed, those sums are scanned like tiles,
/// and the states pass through each run. Runs are counted in the direction of the states, too.
constexpr int run_tiles = 32;
__host__ __device__ inline std::int64_t runs_of(std::int64_t tiles) {
  return (tiles + run_tiles - 1) / run_tiles;
}

/// The states that enter tiles, and what they are made of.
struct States {
  int terms;
  std::int64_t tiles;
  const double* exponents;  ///< [term]
  const double* run_decay;  ///< [tile < run_tiles][term]: exp(-exponent * cells of so many tiles)
  /// [side][run]: not 0 where a tile of the run may add something; nullptr: everywhere, or there
  /// are no runs. States of tiles are kept for those runs only.
  const unsigned* active;
  double* of_tiles;  ///< [tile][side][term]: what the tile adds, then what enters it
  double* of_runs;   ///< [run][side][term] in the order of their tiles; NaN where run is active

  __device__ bool is_active(int side, std::int64_t run) const {
    return active == nullptr || active[side * runs_of(tiles) + run] != 0;
  }

  /// What enters a tile, by side and term: asked for early without waiting for anything, then known
  /// from what was asked for.
  struct Asked {
    double state, decay;
  };
  __device__ Asked ask(std::int64_t tile, int item) const {
    if (active == nullptr) return {of_tiles[tile * 2 * terms + item], 1};
    const std::int64_t on_the_way = item < terms ? tile : tiles - 1 - tile;
    const std::int64_t run = on_the_way / run_tiles;
    const std::int64_t place = item < terms ? run : runs_of(tiles) - 1 - run;
    return {of_runs[place * 2 * terms + item],
            run_decay[on_the_way % run_tiles * terms + item % terms]};
  }
  __device__ double entering(std::int64_t tile, int item, const Asked& asked) const {
    return isnan(asked.state) ? of_tiles[tile * 2 * terms + item] : asked.state * asked.decay;
  }
};

/// A block's run and the thread's side and term.
struct RunColumn {
  Column column;
  double* first;  ///< the states of the run's first tile on the way
  std::int64_t tiles;
  double* of_run;
  bool active;

  __device__ explicit RunColumn(const States& s)
      : column(s.terms, s.tiles, tile_cells, s.exponents, s.of_tiles,
               static_cast<int>(threadIdx.x)) {
    const Column runs(s.terms, gridDim.x, tile_cells, s.exponents, s.of_runs,
                      static_cast<int>(threadIdx.x));
    const std::int64_t run = blockIdx.x;
    first = column.states + run * run_tiles * column.stride;
    tiles = min(std::int64_t{run_tiles}, s.tiles - run * run_tiles);
    of_run = runs.states + run * runs.stride;
    active = s.is_active(static_cast<int>(threadIdx.x) < s.terms ? 0 : 1, run);
  }
};

/// What each run adds to the state behind it.
__global__ void add_runs_kernel(const States states) {
  if (threadIdx.x >= 2 * states.terms) return;
  const RunColumn run(states);
  double state = 0;
  if (run.active) {
    const double decay = exp(-run.column.a);
    for_each_in_order(run.first, run.column.stride, run.tiles,
                      [&](double added, std::int64_t) { state = fma(state, decay, added); });
  }
  *run.of_run = state;
}

/// The states that enter every tile of the active runs from those that enter the run, in place of
/// what the tiles add.
__global__ void pass_runs_kernel(const States states) {
  if (threadIdx.x >= 2 * states.terms) return;
  const RunColumn run(states);
  if (!run.active) return;
  const double decay = exp(-run.column.a);
  double state = *run.of_run;
  if (states.active != nullptr) *run.of_run = NAN;
  for_each_in_order(run.first, run.column.stride, run.tiles, [&](double added, std::int64_t i) {
    run.first[i * run.column.stride] = state;
    state = fma(state, decay, added);
  });
}

}  // namespace bombard::cuda
