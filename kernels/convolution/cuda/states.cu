#include <algorithm>
#include <cmath>

#include "kernels/convolution/cuda/exponentials.cuh"
#include "kernels/convolution/cuda/gather.cuh"
#include "kernels/convolution/cuda/states.hpp"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

namespace {

constexpr int scan_threads = 512;
constexpr int longest_scan_run = 16;
/// The tiles that the threads of a scan take at a time.
constexpr std::int64_t tiles_of_pass = scan_threads * longest_scan_run;

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

/// How the threads of a block combine what their runs of tiles add to a state: over the runs of a
/// warp by doubling, over its warps one by one.
struct RunScan {
  int lane, warp;
  double over_run, over_lanes, over_warps,
      over_all;  ///< decay over 1 run, and over those before the lane, before the warp, of all

  __device__ RunScan(double a, int run)
      : lane(static_cast<int>(threadIdx.x) % 32), warp(static_cast<int>(threadIdx.x) / 32) {
    const auto decay_over = [&](int runs) { return exp(-a * run * runs); };
    over_lanes = decay_over(lane);
    over_warps = decay_over(32 * warp);
    over_all = decay_over(scan_threads);
    over_run = decay_over(1);
  }

  /// The state that enters the thread's run; the run adds `sum`. `entering_all`, what enters the
  /// first run of all, becomes what enters the run behind the last. The last runs may be shorter,
  /// but nothing follows them. All threads take part.
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
/// tiles b' before it of what b' adds times exp(-a tile_cells (b - b' - 1)). States are
/// [field][tile][side][term]; one block for each field, side and term. Its threads take the runs of
/// tiles that they can keep, and then the next.
__global__ void __launch_bounds__(scan_threads)
    scan_kernel(int terms, std::int64_t tiles, const double* exponents, double* states) {
  let_next_begin();
  const int item = static_cast<int>(blockIdx.x) % (2 * terms);
  const std::int64_t field = blockIdx.x / (2 * terms);
  const Column column(terms, tiles, exponents, states + field * 2 * terms * tiles, item);
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

}  // namespace

void TileStates::load() {
  load_kernels(gather_kernel, scan_kernel);
}

std::int64_t TileStates::most_storms(std::int64_t tiles) {
  return std::clamp(tiles_of_pass / tiles, std::int64_t{1}, GatheredImpacts::most_storms);
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
  launch_beside("scan", {storms_ * fields_ * 2 * terms_, scan_threads}, scan_kernel, terms_, tiles_,
                exponents_, of_tiles_.span().data());
}

States TileStates::of(std::int64_t storm, int field) {
  const std::int64_t of_field = std::int64_t{2} * terms_ * tiles_;
  return {.exponents = exponents_,
          .of_tiles = of_tiles_.span().data() + (storm * fields_ + field) * of_field};
}

}  // namespace bombard::cuda
