#include <cmath>
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

#include "kernels/convolution/cuda/states.hpp"
#include "kernels/convolution/cuda/tile.cuh"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

namespace {

// Two sides of the states: 0, on their way to the right, and 1, to the left.
constexpr int sides = 2;
constexpr int fields_at_most = 2;

/// Finds what each tile adds to the state of the next one on its way, if it has sources: its
/// chunks' moments, each decayed over the chunks after it. A block takes a field of a tile, and
/// reports whether it adds anything.
template <int tile_chunks>
__global__ void __launch_bounds__(tile_threads)
    gather_kernel(const Tables t, const Tiling tiling, const SourceArrays arrays,
                  const double* outside, double* entering, bool* adds) {
  __shared__ TileSources<tile_chunks> sources;
  __shared__ ChunkStates<tile_chunks> moments;
  const auto field = static_cast<Field>(blockIdx.x / tiling.tiles);
  const std::int64_t tile = blockIdx.x % tiling.tiles, first_seen = tiling.first_seen(tile);
  const bool any = collect_sources(arrays, field, first_seen, tiling.chunks, sources);
  const bool adds_any = any || tiling.sees_outside(tile);
  if (threadIdx.x == 0) adds[blockIdx.x] = adds_any;
  if (!adds_any) return;
  outside += field * sides * t.terms;
  for (int first = 0; first < t.terms; first += terms_at_once) {
    add_up_moments(sources, t, first, tiling, tile, outside, moments);
    __syncthreads();
    const int side = warp(), term = first + lane();
    if (side < sides && term < t.terms) {
      const double decay = t.chunk_decay[term];
      double state = 0;
#pragma unroll
      for (int c = 0; c < tile_chunks; ++c) {
        const int chunk = side == 0 ? c : evaluated_chunks(tile_chunks) - 1 - c;
        state = fma(state, decay, moments[side][chunk][lane()]);
      }
      const std::int64_t row = (field * sides + side) * t.terms + term;
      entering[row * tiling.tiles + tiling.on_way(side == 0, tile)] = state;
    }
    __syncthreads();
  }
}

/// The sum that some tiles add to a state, and by how much that state decays over them.
struct Passed {
  double decay, sum;
};
struct ThenPassed {
  __device__ Passed operator()(const Passed& first, const Passed& second) const {
    return {first.decay * second.decay, fma(first.sum, second.decay, second.sum)};
  }
};

/// Replaces what the tiles add by the states that enter every tile. There is a block for each
/// field, side and term; a thread takes a run of tiles, and then another.
constexpr int scan_threads = 512, run = 8;
__global__ void __launch_bounds__(scan_threads)
    scan_kernel(int terms, const double* exponents, const Tiling tiling, double* entering,
                const bool* adds) {
  using Load = cub::BlockLoad<double, scan_threads, run, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<double, scan_threads, run, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<Passed, scan_threads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } storage;
  double* row = entering + blockIdx.x * tiling.tiles;
  const std::int64_t side = blockIdx.x / terms % sides, field = blockIdx.x / terms / sides;
  adds += field * tiling.tiles;
  std::int64_t on_way = std::int64_t{threadIdx.x} * run;
  const double a = exponents[blockIdx.x % terms] * tiling.cells();
  const double over_tile = exp(-a), over_run = exp(-a * run);
  const double over_before = exp(-a * run * threadIdx.x), over_all = exp(-a * run * scan_threads);
  double entering_all = 0;
  for (std::int64_t left = tiling.tiles; left > 0; left -= run * scan_threads) {
    const auto valid = static_cast<int>(min(left, std::int64_t{run * scan_threads}));
    double state[run], sum = 0;
    Load(storage.load).Load(row, state, valid, 0.0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < run; ++i) {
      const bool is_there = on_way + i < tiling.tiles;
      if (!is_there || !adds[tiling.on_way(side == 0, on_way + i)]) state[i] = 0;
      sum = fma(sum, over_tile, state[i]);
    }
    on_way += run * scan_threads;
    Passed before, all;
    Scan(storage.scan).ExclusiveScan({over_run, sum}, before, Passed{1, 0}, ThenPassed(), all);
    __syncthreads();
    double passing = fma(entering_all, over_before, before.sum);
#pragma unroll
    for (int i = 0; i < run; ++i) {
      const double added = state[i];
      state[i] = passing;
      passing = fma(passing, over_tile, added);
    }
    Store(storage.store).Store(row, state, valid);
    entering_all = fma(entering_all, over_all, all.sum);
    row += run * scan_threads;
    __syncthreads();
  }
}

/// The sums of v exp(-a n) over the impacts outside the padded layer, [field][side][term], with a
/// block for each term.
constexpr int outside_threads = 256;
template <int fields>
__global__ void __launch_bounds__(outside_threads)
    outside_kernel(const Tables t, const GatheredImpacts storm, double* sums) {
  using Reduce = cub::BlockReduce<double, outside_threads>;
  __shared__ typename Reduce::TempStorage storage;
  const double a = t.exponents[blockIdx.x];
  double sum[fields][sides] = {};
  // The sums have two levels, so that each contains few roundings, however many impacts there are
  // (docs/roundings.md, A share's way, counts those of 512 impacts).
  constexpr std::int64_t impacts_of_sum = 512;
  constexpr std::int64_t part = outside_threads * impacts_of_sum;
  for (std::int64_t begin = 0; begin < storm.count; begin += part) {
    double of_part[fields][sides] = {};
    const std::int64_t end = min(begin + part, storm.count);
    for (std::int64_t i = begin + threadIdx.x; i < end; i += outside_threads) {
      const Impact impact = storm.impacts[i];
      const std::int64_t cell = storm.cell_of(impact);
      if (storm.is_inside(cell)) continue;
      const int side = cell < 0 ? 0 : 1;
      const std::int64_t cells = side == 0 ? -1 - cell : cell - storm.cells();
      const double factor = exp(-a * (static_cast<double>(cells) + 2));
      of_part[of_energies][side] =
          fma(static_cast<double>(impact.energy), factor, of_part[of_energies][side]);
      if constexpr (fields > 1) {
        of_part[of_uncertainties][side] =
            fma(storm.uncertainty.of(i, impact.energy), factor, of_part[of_uncertainties][side]);
      }
    }
    for (int k = 0; k < fields * sides; ++k) {
      sum[k / sides][k % sides] += of_part[k / sides][k % sides];
    }
  }
  for (int k = 0; k < fields * sides; ++k) {
    const double of_all = Reduce(storage).Sum(sum[k / sides][k % sides]);
    if (threadIdx.x == 0) sums[k * t.terms + blockIdx.x] = of_all;
    __syncthreads();  // the storage is used again
  }
}

}  // namespace

void TileStates::gather_outside(const Tables& tables, const GatheredImpacts& storm, int fields) {
  nothing_outside_ = false;
  outside_.at_least(fields_at_most * sides * tables.terms);
  launch("outside", {tables.terms, outside_threads},
         fields > 1 ? outside_kernel<2> : outside_kernel<1>, tables, storm, outside_.span().data());
}

void TileStates::clear_outside(const Tables& tables) {
  const bool larger = outside_.at_least(fields_at_most * sides * tables.terms);
  if (larger || !nothing_outside_) set_bytes(outside_.span(), 0);
  nothing_outside_ = true;
}

void TileStates::scan(const Tables& tables, const Tiling& tiling, const SourceArrays& sources,
                      int fields) {
  const std::int64_t rows = fields * sides * tables.terms;
  entering_.at_least(rows * tiling.tiles);
  adds_.at_least(fields * tiling.tiles);
  double* const entering = entering_.span().data();
  bool* const adds = adds_.span().data();
  with_chunks_of_tile(tiling.tile_chunks, [&]<int tile_chunks>() {
    launch("gather", {fields * tiling.tiles, tile_threads}, gather_kernel<tile_chunks>, tables,
           tiling, sources, outside_.span().data(), entering, adds);
  });
  launch("scan", {rows, scan_threads}, scan_kernel, tables.terms, tables.exponents, tiling,
         entering, adds);
}

States TileStates::of(Field field, const Tables& tables, const Tiling& tiling) const {
  const std::int64_t items = field * sides * tables.terms;
  return {entering_.span().data() + items * tiling.tiles, outside_.span().data() + items};
}

}  // namespace bombard::cuda
