#include <algorithm>
#include <cmath>

#include "kernels/convolution/cuda/exponentials.cuh"
#include "kernels/convolution/cuda/gather.cuh"
#include "kernels/convolution/cuda/states.hpp"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

namespace {

/// A block scans neighbouring terms, which fill the 32 bytes that memory gives at once; a thread
/// keeps a run of tiles of one of them in registers.
constexpr int scan_terms = 4, runs_of_warp = 32 / scan_terms;
constexpr int runs = TileStates::runs_of_scan, longest_run = TileStates::longest_run_of_scan;
constexpr int scan_threads = scan_terms * runs;
/// The tiles of all storms that are gathered at once.
constexpr std::int64_t most_tiles_at_once = 8192;

/// A warp for each tile, storm after storm, for the energies and then for the uncertainties, if
/// those are wanted, too: states are [storm][field][tile][side][term].
constexpr int resident_gathering_blocks = 4;  // measured on an H200: docs/journal.md
__global__ void __launch_bounds__(tile_threads, resident_gathering_blocks)
    gather_kernel(const Terms t, std::int64_t storms, int fields,
                  const SourceArray<std::int64_t> energies, const SourceArray<double> uncertainties,
                  double* states) {
  follow_previous();
  __shared__ double moment[tile_warps][2 * seen_chunks * parity_coefficients];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t i = std::int64_t{blockIdx.x} * tile_warps + warp;
  if (i >= storms * fields * t.tiles) return;
  const std::int64_t tile = i % t.tiles;
  const std::int64_t field = i / t.tiles;
  const std::int64_t storm = field / fields;
  states += field * 2 * t.terms * t.tiles;
  if (field % fields == 0) {
    gather(t, energies.of_storm(storm, t.chunks), tile, moment[warp], states);
  } else {
    gather(t, uncertainties.of_storm(storm, t.chunks), tile, moment[warp], states);
  }
}

/// The same as gather_kernel: a block for each tile, field and storm.
__global__ void __launch_bounds__(tile_threads)
    gather_exponentials_kernel(const Terms t, int fields, const SourceArray<std::int64_t> energies,
                               const SourceArray<double> uncertainties, double* states) {
  follow_previous();
  const std::int64_t tile = blockIdx.x % t.tiles;
  const std::int64_t field = blockIdx.x / t.tiles;
  const std::int64_t storm = field / fields;
  states += field * 2 * t.terms * t.tiles;
  if (field % fields == 0) {
    gather_exponentials(t, energies.of_storm(storm, t.chunks), tile, states);
  } else {
    gather_exponentials(t, uncertainties.of_storm(storm, t.chunks), tile, states);
  }
}

/// How the threads of a block that have the same term combine what their runs of tiles add to the
/// state: over the runs of a warp by doubling, over the warps one by one.
struct RunScan {
  int term, run, warp;  ///< among those of the block, of the warp, of the block
  double over_run, over_runs_before, over_warps,
      over_all;  ///< decay over 1 run, over those before it in the warp, before the warp, of all

  __device__ RunScan(double a, int tiles_of_run)
      : term(static_cast<int>(threadIdx.x) % scan_terms),
        run(static_cast<int>(threadIdx.x) % 32 / scan_terms),
        warp(static_cast<int>(threadIdx.x) / 32) {
    const auto decay_over = [&](int number) { return exp(-a * tiles_of_run * number); };
    over_run = decay_over(1);
    over_runs_before = decay_over(run);
    over_warps = decay_over(runs_of_warp * warp);
    over_all = decay_over(runs);
  }

  /// The state that enters the thread's run; the run adds `sum`. `entering_all`, what enters the
  /// first run of all, becomes what enters the run behind the last. The last runs may be shorter,
  /// but nothing follows them. All threads take part.
  __device__ double entering(double sum, double& entering_all) const {
    __shared__ double of_warp[scan_threads / 32][scan_terms];
    double over_runs = over_run;
    for (int step = 1; step < runs_of_warp; step *= 2) {
      const double before = __shfl_up_sync(~0U, sum, step * scan_terms);
      if (run >= step) sum = fma(before, over_runs, sum);
      over_runs *= over_runs;
    }
    if (run == runs_of_warp - 1) of_warp[warp][term] = sum;
    __syncthreads();
    double entering_warp = 0;
    double of_all = 0;
    for (int w = 0; w < scan_threads / 32; ++w) {
      if (w == warp) entering_warp = of_all;
      of_all = fma(of_all, over_runs, of_warp[w][term]);
    }
    __syncthreads();
    entering_warp = fma(entering_all, over_warps, entering_warp);
    entering_all = fma(entering_all, over_all, of_all);
    const double before = __shfl_up_sync(~0U, sum, scan_terms);
    return fma(entering_warp, over_runs_before, run > 0 ? before : 0.0);
  }
};

/// The states that enter every tile, in place of what the tiles add: of tile b the sum over the
/// tiles b' before it of what b' adds times exp(-a tile_cells (b - b' - 1)). States are
/// [field][tile][side][term]; one block for some terms of a field and a side. Its threads take the
/// runs of tiles that they can keep, and then the next.
__global__ void __launch_bounds__(scan_threads)
    scan_kernel(int terms, std::int64_t tiles, const double* exponents, double* states) {
  let_next_begin();
  const int blocks_of_field = 2 * terms / scan_terms;
  const int item = static_cast<int>(blockIdx.x) % blocks_of_field * scan_terms +
                   static_cast<int>(threadIdx.x) % scan_terms;
  const std::int64_t field = blockIdx.x / blocks_of_field;
  const Column column(terms, tiles, exponents, states + field * 2 * terms * tiles, item);
  const auto run = static_cast<int>(min(std::int64_t{longest_run}, (tiles + runs - 1) / runs));
  const double decay = exp(-column.a);
  const RunScan scan(column.a, run);
  double entering_all = 0;
  wait_for_previous();
  for (std::int64_t first = 0; first < tiles; first += runs * run) {
    const std::int64_t begin = first + threadIdx.x / scan_terms * run;
    const auto count =
        static_cast<int>(min(max(tiles - begin, std::int64_t{0}), std::int64_t{run}));
    double* own = column.states + begin * column.stride;
    double added[longest_run];
    const double* from = own;
#pragma unroll
    for (int k = 0; k < longest_run; ++k, from += column.stride) {
      if (k < count) added[k] = *from;
    }
    double sum = 0;
#pragma unroll
    for (int k = 0; k < longest_run; ++k) {
      if (k < count) sum = fma(sum, decay, added[k]);
    }
    double state = scan.entering(sum, entering_all);
#pragma unroll
    for (int k = 0; k < longest_run; ++k, own += column.stride) {
      if (k >= count) continue;
      *own = state;
      state = fma(state, decay, added[k]);
    }
  }
}

}  // namespace

void TileStates::load() {
  load_kernels(gather_kernel, scan_kernel);
}

std::int64_t TileStates::most_storms(std::int64_t tiles) {
  return std::clamp(most_tiles_at_once / tiles, std::int64_t{1}, GatheredImpacts::most_storms);
}

void TileStates::add_sources(const Terms& terms, const double* exponents, std::int64_t storms,
                             int fields, const SourceArray<std::int64_t>& energies,
                             const SourceArray<double>& uncertainties, bool polynomials_serve) {
  terms_ = terms.terms;
  tiles_ = terms.tiles;
  exponents_ = exponents;
  storms_ = storms;
  fields_ = fields;
  of_tiles_.at_least(storms * fields * 2 * terms_ * tiles_);
  const std::int64_t tiles_of_all = storms * fields * tiles_;
  if (polynomials_serve) {
    launch_beside("gather", {(tiles_of_all + tile_warps - 1) / tile_warps, tile_threads},
                  gather_kernel, terms, storms, fields, energies, uncertainties,
                  of_tiles_.span().data());
  } else {
    launch_beside("gather exponentials", {tiles_of_all, tile_threads}, gather_exponentials_kernel,
                  terms, fields, energies, uncertainties, of_tiles_.span().data());
  }
}

void TileStates::scan() {
  launch_beside("scan", {storms_ * fields_ * 2 * terms_ / scan_terms, scan_threads}, scan_kernel,
                terms_, tiles_, exponents_, of_tiles_.span().data());
}

States TileStates::of(std::int64_t storm, int field) {
  const std::int64_t of_field = std::int64_t{2} * terms_ * tiles_;
  return {.exponents = exponents_,
          .of_tiles = of_tiles_.span().data() + (storm * fields_ + field) * of_field};
}

}  // namespace bombard::cuda
