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
constexpr int scan_threads = scan_terms * runs, most_segments = 4;
/// The tiles of all storms that are gathered at once.
constexpr std::int64_t most_tiles_at_once = 8192;
constexpr std::int64_t many_tiles = 2 * most_tiles_at_once;  // several for each warp

/// Tiles of a warp that gathers, if tiles are many: most see no impact, and masks come together.
constexpr int tiles_of_warp = 8;

/// Gathers neighbouring tiles of a field.
template <class Amount>
__device__ void gather_several(const Terms& t, const SourceArray<Amount>& sources,
                               std::int64_t first, int several, double* moment,
                               const States& states) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned adding = 0;
#pragma unroll
  for (int k = 0; k < tiles_of_warp; ++k) {
    const std::int64_t chunk = (first + k) * tile_chunks;
    const bool adds = mask_of_chunk(sources.mask, chunk, t.chunks, lane) != 0 || t.at_end(chunk);
    adding |= (__any_sync(~0U, adds) ? 1U : 0U) << k;
  }
  const auto count = static_cast<int>(min(std::int64_t{several}, t.tiles - first));
  if (lane < count) states.adds[first + lane] = (adding >> lane & 1) != 0;
#pragma unroll 1
  for (int k = 0; k < count; ++k) {
    if ((adding >> k & 1) != 0) gather(t, sources, first + k, moment, states);
  }
}

/// A warp for each tile, or for `several`, storm after storm, for the energies and then for the
/// uncertainties, if those are wanted, too: states are [storm][field][tile][side][term].
constexpr int resident_gathering_blocks = 4;  // measured on an H200: docs/journal.md
__global__ void __launch_bounds__(tile_threads, resident_gathering_blocks)
    gather_kernel(const Terms t, int several, std::int64_t storms, int fields,
                  const SourceArray<std::int64_t> energies, const SourceArray<double> uncertainties,
                  const States states) {
  follow_previous();
  __shared__ double moment[tile_warps][2 * seen_chunks * parity_coefficients];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t i = std::int64_t{blockIdx.x} * tile_warps + warp;
  const std::int64_t warps = (t.tiles + several - 1) / several;
  if (i >= storms * fields * warps) return;
  const std::int64_t first = i % warps * several;
  const std::int64_t field = i / warps;
  const std::int64_t storm = field / fields;
  const States own = states.of_field(field, t.terms, t.tiles);
  if (field % fields == 0) {
    gather_several(t, energies.of_storm(storm, t.chunks), first, several, moment[warp], own);
  } else {
    gather_several(t, uncertainties.of_storm(storm, t.chunks), first, several, moment[warp], own);
  }
}

/// The same as gather_kernel: a block for each tile, field and storm.
__global__ void __launch_bounds__(tile_threads)
    gather_exponentials_kernel(const Terms t, int fields, const SourceArray<std::int64_t> energies,
                               const SourceArray<double> uncertainties, const States states) {
  follow_previous();
  const std::int64_t tile = blockIdx.x % t.tiles;
  const std::int64_t field = blockIdx.x / t.tiles;
  const std::int64_t storm = field / fields;
  const States own = states.of_field(field, t.terms, t.tiles);
  if (field % fields == 0) {
    gather_exponentials(t, energies.of_storm(storm, t.chunks), tile, own);
  } else {
    gather_exponentials(t, uncertainties.of_storm(storm, t.chunks), tile, own);
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

/// The tiles of a layer in the order of the scan, in equal segments for different blocks.
struct Segments {
  std::int64_t tiles, tiles_of_segment;
  int run, count;

  explicit Segments(std::int64_t tiles_of_layer) : tiles(tiles_of_layer) {
    run = static_cast<int>(std::min<std::int64_t>(longest_run, (tiles + runs - 1) / runs));
    const std::int64_t at_a_time = std::int64_t{runs} * run;
    const std::int64_t times = (tiles + at_a_time - 1) / at_a_time;
    const std::int64_t each = (times + most_segments - 1) / most_segments;
    tiles_of_segment = each * at_a_time;
    count = static_cast<int>((times + each - 1) / each);
  }
};

/// The states that enter every tile, in place of what the tiles add: of tile b the sum over the
/// tiles b' before it of what b' adds times exp(-a tile_cells (b - b' - 1)). States are
/// [field][tile][side][term]; one block for some terms of a field and a side, and a segment. Its
/// threads take the runs of tiles that they can keep, and then the next. `of_segments`, [field]
/// [side][term][segment], has what the segments add to the states behind them; if not `last`, this
/// is found first, and no states.
template <bool last>
__global__ void __launch_bounds__(scan_threads)
    scan_kernel(int terms, std::int64_t fields, const Segments segments, const States states,
                double* of_segments) {
  let_next_begin();
  const int blocks_of_field = 2 * terms / scan_terms;
  const std::int64_t segment = blockIdx.x / (blocks_of_field * fields);
  const std::int64_t field = blockIdx.x / blocks_of_field % fields;
  const int item = static_cast<int>(blockIdx.x) % blocks_of_field * scan_terms +
                   static_cast<int>(threadIdx.x) % scan_terms;
  const Column column(terms, segments.tiles, states.of_field(field, terms, segments.tiles), item);
  const int run = segments.run;
  const double decay = exp(-column.a);
  const RunScan scan(column.a, run);
  of_segments += (field * 2 * terms + item) * segments.count;
  wait_for_previous();
  double entering_all = 0;
  const double over_segment = exp(-column.a * static_cast<double>(segments.tiles_of_segment));
  for (int i = 0; last && i < segment; ++i) {
    entering_all = fma(entering_all, over_segment, of_segments[i]);
  }
  std::int64_t first = segment * segments.tiles_of_segment;
  const std::int64_t end = min(first + segments.tiles_of_segment, segments.tiles);
  for (; first < end; first += runs * run) {
    const std::int64_t begin = first + threadIdx.x / scan_terms * run;
    const auto count = static_cast<int>(min(max(end - begin, std::int64_t{0}), std::int64_t{run}));
    double* own = column.states + begin * column.stride;
    const bool* const adds = column.adds + begin * column.step;
    unsigned adding = 0;  // all tiles are asked first: no state is waited for alone
#pragma unroll
    for (int k = 0; k < longest_run; ++k) {
      if (k < count && adds[k * column.step]) adding |= 1U << k;
    }
    double added[longest_run];
    const double* from = own;
#pragma unroll
    for (int k = 0; k < longest_run; ++k, from += column.stride) {
      added[k] = (adding >> k & 1) != 0 ? *from : 0;
    }
    double sum = 0;
#pragma unroll
    for (int k = 0; k < longest_run; ++k) {
      if (k < count) sum = fma(sum, decay, added[k]);
    }
    double state = scan.entering(sum, entering_all);
#pragma unroll
    for (int k = 0; last && k < longest_run; ++k, own += column.stride) {
      if (k >= count) continue;
      *own = state;
      state = fma(state, decay, added[k]);
    }
  }
  if (!last && threadIdx.x < scan_terms) of_segments[segment] = entering_all;
}

}  // namespace

void TileStates::load() {
  load_kernels(gather_kernel, scan_kernel<false>, scan_kernel<true>);
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
  adds_.at_least(storms * fields * tiles_);
  const std::int64_t tiles_of_all = storms * fields * tiles_;
  if (polynomials_serve) {
    const int several = tiles_of_all < many_tiles ? 1 : tiles_of_warp;
    const std::int64_t warps = storms * fields * ((tiles_ + several - 1) / several);
    launch_beside("gather", {(warps + tile_warps - 1) / tile_warps, tile_threads}, gather_kernel,
                  terms, several, storms, fields, energies, uncertainties, of(0, 0));
  } else {
    launch_beside("gather exponentials", {tiles_of_all, tile_threads}, gather_exponentials_kernel,
                  terms, fields, energies, uncertainties, of(0, 0));
  }
}

void TileStates::scan() {
  const Segments segments(tiles_);
  of_segments_.at_least(storms_ * fields_ * 2 * terms_ * segments.count);
  const auto launch_scan = [&](int blocks_of_column, const auto& kernel) {
    LaunchShape shape{storms_ * fields_ * 2 * terms_ / scan_terms * blocks_of_column, scan_threads};
    launch_beside("scan", shape, kernel, terms_, storms_ * fields_, segments, of(0, 0),
                  of_segments_.span().data());
  };
  if (segments.count > 1) launch_scan(segments.count - 1, scan_kernel<false>);
  launch_scan(segments.count, scan_kernel<true>);
}

States TileStates::of(std::int64_t storm, int field) {
  const States of_all{exponents_, of_tiles_.span().data(), adds_.span().data()};
  return of_all.of_field(storm * fields_ + field, terms_, tiles_);
}

}  // namespace bombard::cuda
