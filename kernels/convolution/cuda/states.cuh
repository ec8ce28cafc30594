#pragma once

// How the states of the exponentials pass from tile to tile (docs/methods.md, The convolution).

#include <cmath>
#include <cstdint>

#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/device/launch.cuh"

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

constexpr int scan_threads = 512;
constexpr int longest_scan_run = 16;
/// More tiles are sooner scanned by more blocks.
constexpr std::int64_t most_scanned_tiles = scan_threads * longest_scan_run;

/// How the threads of a block combine what their runs of tiles add to a state: over the runs of a
/// warp by doubling, over its warps one by one.
struct RunScan {
  int lane, warp;
  double over_run, over_lanes, over_warps, over_all;  ///< decay over so many runs

  __device__ RunScan(double a, int run)
      : lane(static_cast<int>(threadIdx.x) % 32), warp(static_cast<int>(threadIdx.x) / 32) {
    const auto decay_over = [&](int runs) { return exp(-a * run * runs); };
    over_lanes = decay_over(lane);
    over_warps = decay_over(32 * warp);
    over_all = decay_over(scan_threads);
    over_run = decay_over(1);
  }

  /// The state that enters the thread's run, of which `sum` is what it adds. `entering_all`, what
  /// enters the first run of all, becomes what enters the run behind the last. The last runs may
  /// be shorter, but nothing follows them. All threads take part.
  __device__ double entering(double sum, double& entering_all) const {
    __shared__ double of_warp[scan_threads / 32];
    double over_runs = over_run;
    for (int step = 1; step < 32; step *= 2) {
      const double before = __shfl_up_sync(~0U, sum, step);
      if (lane >= step) sum = fma(before, over_runs, sum);
      over_runs *= over_runs;
    }
    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();
    double entering_warp = 0;
    double of_all = 0;
    for (int w = 0; w < scan_threads / 32; ++w) {
      if (w == warp) entering_warp = of_all;
      of_all = fma(of_all, over_runs, of_warp[w]);
    }
    __syncthreads();
    entering_warp = fma(entering_all, over_warps, entering_warp);
    entering_all = fma(entering_all, over_all, of_all);
    const double before = __shfl_up_sync(~0U, sum, 1);
    return fma(entering_warp, over_lanes, lane > 0 ? before : 0.0);
  }
};

/// The states that enter every tile, in place of what the tiles add: of tile b the sum over the
/// tiles b' before it of what b' adds times exp(-a cells (b - b' - 1)), where a tile has so many
/// `cells`. States are [field][tile][side][term]; one block for each field, side and term. Its
/// threads take runs of tiles, as many as they can keep, and then the next.
static __global__ void __launch_bounds__(scan_threads)
    scan_kernel(int terms, std::int64_t tiles, std::int64_t cells, const double* exponents,
                double* states) {
  let_next_begin();
  const int item = static_cast<int>(blockIdx.x) % (2 * terms);
  const std::int64_t field = blockIdx.x / (2 * terms);
  const Column column(terms, tiles, cells, exponents, states + field * 2 * terms * tiles, item);
  const auto run = static_cast<int>(
      min(std::int64_t{longest_scan_run}, (tiles + scan_threads - 1) / scan_threads));
  const double decay = exp(-column.a);
  const RunScan scan(column.a, run);
  double entering_all = 0;
  wait_for_previous();
  for (std::int64_t first = 0; first < tiles; first += scan_threads * run) {
    const std::int64_t begin = first + threadIdx.x * run;
    const auto count =
        static_cast<int>(min(max(tiles - begin, std::int64_t{0}), std::int64_t{run}));
    double* const own = column.states + begin * column.stride;
    double added[longest_scan_run];
#pragma unroll
    for (int k = 0; k < longest_scan_run; ++k) {
      if (k < count) added[k] = own[k * column.stride];
    }
    double sum = 0;
#pragma unroll
    for (int k = 0; k < longest_scan_run; ++k) {
      if (k < count) sum = fma(sum, decay, added[k]);
    }
    double state = scan.entering(sum, entering_all);
#pragma unroll
    for (int k = 0; k < longest_scan_run; ++k) {
      if (k >= count) continue;
      own[k * column.stride] = state;
      state = fma(state, decay, added[k]);
    }
  }
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

/// What each run adds to the state behind it.
static __global__ void add_runs_kernel(const States states) {
  follow_previous();
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
static __global__ void pass_runs_kernel(const States states) {
  follow_previous();
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
