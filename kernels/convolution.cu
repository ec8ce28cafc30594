// Nothing here is the rule's arithmetic: how sums are rounded is within the proven error
// (docs/methods.md, The convolution), so products and sums are fused.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/convolution.hpp"
#include "kernels/launch.cuh"

namespace bombard::cuda {

namespace {

constexpr int width = static_cast<int>(chunk_cells);
constexpr int half_width = width / 2;
/// Chunks of a tile, which a block takes; cells of it. Small, so that many blocks are at work at
/// the same time: each waits at barriers, and for its longest chain of sums.
constexpr int tile_chunks = 16;
constexpr int tile_cells = tile_chunks * width;
/// Chunks whose impacts a tile needs: its own, and two on either side.
constexpr int seen_chunks = tile_chunks + 4;
/// Chunks that it evaluates: its own and, for two cells each, their neighbours.
constexpr int evaluated_chunks = tile_chunks + 2;
constexpr int halo = 2;
constexpr int threads = 128;
constexpr int warps = threads / 32;
// The layer begins behind one empty chunk and ends before another: what lies outside them is far.
constexpr std::int64_t first_cell = chunk_cells;

/// A sum of energies, or of uncertainties, in each cell whose bit is set.
template <class Amount>
struct SourceArray {
  const std::uint64_t* mask;  ///< a word a chunk
  const Amount* amount;
  /// What lies outside, as moments of one chunk more on either side, [side][term].
  const double* outside;
};

/// Tables and states of one convolution; terms of the exponential sum are `terms`.
struct Terms {
  int terms;
  std::int64_t chunks, tiles;
  const double* shape;   ///< [coefficient][term]: exp(-32 a x) as a polynomial in x
  const double* target;  ///< [term][coefficient]: scale w exp(-a (2 chunk_cells + 1)) times that
  const double* powers;  ///< [half_width][coefficients]: x_j^i
  const double* decay;   ///< exp(-a chunk_cells)
  /// near[2 chunk_cells + d] = scale * (|d| + 1)^-power for |d| < 2 chunk_cells
  const double* near;
};

__device__ double fused(double a, double b, double c) {
  return fma(a, b, c);
}

/// x of cell j < 32 of its chunk, between -1 and 0; that of cell 63 - j is -x.
__host__ __device__ constexpr double position_in_chunk(int j) {
  return (j - (half_width - 0.5)) / half_width;
}

constexpr int near_size = 4 * width;
constexpr int values_size = tile_cells + 2 * halo;

/// Shared memory of a block, in doubles.
struct Scratch {
  double* strength;  ///< [seen_chunks][width]
  double* right;     ///< [seen_chunks][terms]: first moments, then states
  double* left;
  double* moment;      ///< [seen_chunks][coefficients]: sum of strength * x^i
  double* polynomial;  ///< [evaluated_chunks][coefficients]: takes the place of the moments
  double* target;      ///< [terms][coefficients]
  double* near;        ///< [near_size]
  std::uint64_t* mask;

  // When all sums are there, the memory serves again.
  double* value;  ///< of cell i of the tile, from -halo on
  double* uncertainty;
  double* relaxed;  ///< from -1 on

  __host__ __device__ static constexpr std::int64_t size(int coefficients, int terms) {
    const std::int64_t tables =
        std::int64_t{seen_chunks} * (2 * terms + coefficients) + terms * coefficients + near_size;
    return seen_chunks * (width + 1) + (tables > 2 * values_size ? tables : 2 * values_size);
  }
  __device__ Scratch(double* memory, int coefficients, int terms)
      : strength(memory + seen_chunks),
        right(strength + seen_chunks * width),
        left(right + seen_chunks * terms),
        moment(left + seen_chunks * terms),
        polynomial(moment),
        target(moment + seen_chunks * coefficients),
        near(target + terms * coefficients),
        mask(reinterpret_cast<std::uint64_t*>(memory)),
        value(right + halo),
        uncertainty(value + values_size),
        relaxed(strength + 1) {}
};

/// How many impacts a tile sees.
enum class Impacts { none, few, many };

/// Loads the impacts of the seen chunks, first - 2 .. first + tile_chunks + 1. All threads take
/// part; their memory is complete after the next barrier.
template <class Amount>
__device__ Impacts load_sources(const Scratch& scratch, const SourceArray<Amount>& sources,
                                std::int64_t first, std::int64_t chunks) {
  constexpr int many_in_a_chunk = 12;
  std::uint64_t mask = 0;
  if (threadIdx.x < seen_chunks) {
    const std::int64_t chunk = first - 2 + threadIdx.x;
    if (chunk >= 0 && chunk < chunks) mask = sources.mask[chunk];
    scratch.mask[threadIdx.x] = mask;
  }
  if (__syncthreads_or(mask != 0) == 0) return Impacts::none;
#pragma unroll
  for (int i = threadIdx.x; i < seen_chunks * width; i += threads) {
    const bool hit = (scratch.mask[i / width] >> (i % width) & 1) != 0;
    scratch.strength[i] = hit ? static_cast<double>(sources.amount[(first - 2) * width + i]) : 0.0;
  }
  const int full = __syncthreads_count(__popcll(mask) > many_in_a_chunk);
  return full > tile_chunks / 2 ? Impacts::many : Impacts::few;
}

/// moment[c][i] = sum over the cells j of chunk c of strength * x_j^i.
template <int coefficients>
__device__ void chunk_moments(const Scratch& scratch, const double* powers) {
  constexpr int few = 12;
  for (int item = threadIdx.x; item < seen_chunks * coefficients; item += threads) {
    const int chunk = item / coefficients;
    const int i = item % coefficients;
    const double* strength = scratch.strength + chunk * width;
    const double mirrored = i % 2 == 0 ? 1 : -1;
    std::uint64_t mask = scratch.mask[chunk];
    double sum = 0;
    if (__popcll(mask) <= few) {
      for (; mask != 0; mask &= mask - 1) {
        const int j = __ffsll(static_cast<long long>(mask)) - 1;
        const bool first_half = j < half_width;
        const double power = powers[(first_half ? j : width - 1 - j) * coefficients + i];
        sum = fused(first_half ? strength[j] : mirrored * strength[j], power, sum);
      }
    } else {
#pragma unroll 8
      for (int j = 0; j < half_width; ++j) {
        sum = fused(fused(mirrored, strength[width - 1 - j], strength[j]),
                    powers[j * coefficients + i], sum);
      }
    }
    scratch.moment[item] = sum;
  }
}

/// What every seen chunk adds to the states, from its moments: to those on their way to the right
/// sum of strength * exp(32 a x), to those on their way to the left sum of strength * exp(-32 a x).
template <int coefficients>
__device__ void exponential_moments(const Scratch& scratch, const Terms& t, const double* outside,
                                    std::int64_t first) {
  const int groups = max(1, threads / t.terms);
  for (int item = threadIdx.x; item < groups * t.terms; item += threads) {
    const int group = item / t.terms;
    const int term = item % t.terms;
    double shape[coefficients];
#pragma unroll
    for (int i = 0; i < coefficients; ++i) shape[i] = t.shape[i * t.terms + term];
    for (int c = group; c < seen_chunks; c += groups) {
      const double* moment = scratch.moment + c * coefficients;
      double even = 0;
      double odd = 0;
      if (scratch.mask[c] != 0) {
#pragma unroll
        for (int i = 0; i < coefficients; i += 2) {
          even = fused(moment[i], shape[i], even);
          odd = fused(moment[i + 1], shape[i + 1], odd);
        }
      }
      double right = even - odd;
      double left = even + odd;
      if (first - 2 + c == -1) right = outside[term];
      if (first - 2 + c == t.chunks) left = outside[t.terms + term];
      scratch.right[c * t.terms + term] = right;
      scratch.left[c * t.terms + term] = left;
    }
  }
}

/// The moments of a tile's surroundings; complete after the next barrier. They are only there if
/// `any`: with an impact, or where something outside may lie next to the tile.
template <int coefficients, class Amount>
__device__ Impacts surroundings(const Scratch& scratch, const Terms& t,
                                const SourceArray<Amount>& sources, std::int64_t first, bool& any) {
  const Impacts impacts = load_sources(scratch, sources, first, t.chunks);
  const bool at_end = first == 0 || first + tile_chunks + 1 >= t.chunks;
  any = impacts != Impacts::none || at_end;
  if (!any) return impacts;
  __syncthreads();
  if (impacts != Impacts::none) chunk_moments<coefficients>(scratch, t.powers);
  __syncthreads();
  exponential_moments<coefficients>(scratch, t, sources.outside, first);
  return impacts;
}

/// What a tile's impacts add to the states that enter its neighbours, [tile][side][term]: to the
/// right those of chunks first - 2 .. end - 3, to the left those of first + 2 .. end + 1 (the state
/// that enters a tile is that of its first evaluated chunk, from two chunks before it on).
template <int coefficients, class Amount>
__global__ void __launch_bounds__(threads)
    gather_kernel(const Terms t, const SourceArray<Amount> sources, double* states) {
  extern __shared__ double memory[];
  const Scratch scratch(memory, coefficients, t.terms);
  const std::int64_t first = std::int64_t{blockIdx.x} * tile_chunks;
  bool any = false;
  surroundings<coefficients>(scratch, t, sources, first, any);
  __syncthreads();
  for (int item = threadIdx.x; item < 2 * t.terms; item += threads) {
    const int term = item % t.terms;
    const bool to_right = item < t.terms;
    const double decay = t.decay[term];
    double state = 0;
    if (any && to_right) {
#pragma unroll 4
      for (int c = 0; c < tile_chunks; ++c) {
        state = fused(state, decay, scratch.right[c * t.terms + term]);
      }
    } else if (any) {
#pragma unroll 4
      for (int c = seen_chunks - 1; c >= seen_chunks - tile_chunks; --c) {
        state = fused(state, decay, scratch.left[c * t.terms + term]);
      }
    }
    states[std::int64_t{blockIdx.x} * 2 * t.terms + item] = state;
  }
}

/// The states of one side and term. Tiles are counted in the direction of the states: from the left
/// to the right, or from the right to the left.
struct Column {
  double* states;       ///< of the first tile on the way
  std::int64_t stride;  ///< to the next
  double a;             ///< the exponent, in tiles

  __device__ Column(int terms, std::int64_t tiles, const double* exponents, double* all, int item)
      : states(all + item), stride(2 * terms), a(exponents[item % terms] * tile_cells) {
    if (item >= terms) {
      states += (tiles - 1) * stride;
      stride = -stride;
    }
  }
};

/// The states that enter every tile, in place of what the tiles add: of tile b the sum over the
/// tiles b' before it of what b' adds times exp(-a tile_cells (b - b' - 1)). A block a side and
/// term, for not too many tiles.
constexpr std::int64_t most_scanned_tiles = 1 << 13;
constexpr int scan_threads = 512;
__global__ void __launch_bounds__(scan_threads)
    scan_kernel(int terms, std::int64_t tiles, const double* exponents, double* states) {
  const Column column(terms, tiles, exponents, states, static_cast<int>(blockIdx.x));
  const std::int64_t run = (tiles + scan_threads - 1) / scan_threads;
  const std::int64_t begin = min(threadIdx.x * run, tiles);
  const std::int64_t end = min(begin + run, tiles);
  const double decay = exp(-column.a);
  double sum = 0;
  for (std::int64_t tile = begin; tile < end; ++tile) {
    sum = fused(sum, decay, column.states[tile * column.stride]);
  }
  // Over the runs of a warp by doubling, over its warps one by one. The last runs may be shorter,
  // but nothing follows them.
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  double over_runs = exp(-column.a * static_cast<double>(run));
  const double over_lanes = exp(-column.a * static_cast<double>(run) * lane);
  for (int step = 1; step < 32; step *= 2) {
    const double before = __shfl_up_sync(~0U, sum, step);
    if (lane >= step) sum = fused(before, over_runs, sum);
    over_runs *= over_runs;
  }
  __shared__ double of_warp[scan_threads / 32];
  if (lane == 31) of_warp[warp] = sum;
  __syncthreads();
  double entering = 0;
  for (int w = 0; w < warp; ++w) entering = fused(entering, over_runs, of_warp[w]);
  const double before = __shfl_up_sync(~0U, sum, 1);
  double state = fused(entering, over_lanes, lane > 0 ? before : 0.0);
  for (std::int64_t tile = begin; tile < end; ++tile) {
    double& here = column.states[tile * column.stride];
    const double added = here;
    here = state;
    state = fused(state, decay, added);
  }
}

/// Many tiles are cut into runs, as many as a run has tiles or about so: the states that enter
/// every tile are found by one pass over each run and one over the runs.
struct Runs {
  std::int64_t tiles, run, runs;

  explicit Runs(std::int64_t all_tiles)
      : tiles(all_tiles),
        run(std::max<std::int64_t>(
            1, static_cast<std::int64_t>(std::sqrt(static_cast<double>(all_tiles))))),
        runs((all_tiles + run - 1) / run) {}
};

/// What each run adds to the state behind it, [run][side][term].
__global__ void add_runs_kernel(int terms, const Runs runs, const double* exponents, double* states,
                                double* of_run) {
  if (threadIdx.x >= 2 * terms) return;
  const Column column(terms, runs.tiles, exponents, states, static_cast<int>(threadIdx.x));
  const double decay = exp(-column.a);
  const std::int64_t begin = blockIdx.x * runs.run;
  const std::int64_t end = min(begin + runs.run, runs.tiles);
  double state = 0;
#pragma unroll 8
  for (std::int64_t tile = begin; tile < end; ++tile) {
    state = fused(state, decay, column.states[tile * column.stride]);
  }
  of_run[std::int64_t{blockIdx.x} * 2 * terms + threadIdx.x] = state;
}

/// The states that enter every tile, in place of what the tiles add.
__global__ void pass_runs_kernel(int terms, const Runs runs, const double* exponents,
                                 double* states, const double* of_run) {
  if (threadIdx.x >= 2 * terms) return;
  const Column column(terms, runs.tiles, exponents, states, static_cast<int>(threadIdx.x));
  const double decay = exp(-column.a);
  const double run_decay = exp(-column.a * static_cast<double>(runs.run));
  double state = 0;
#pragma unroll 8
  for (std::int64_t run = 0; run < blockIdx.x; ++run) {
    state = fused(state, run_decay, of_run[run * 2 * terms + threadIdx.x]);
  }
  const std::int64_t begin = blockIdx.x * runs.run;
  const std::int64_t end = min(begin + runs.run, runs.tiles);
  constexpr int at_once = 8;  // loads that are on their way together
  for (std::int64_t tile = begin; tile < end; tile += at_once) {
    double* const here = column.states + tile * column.stride;
    const auto count = static_cast<int>(min(end - tile, std::int64_t{at_once}));
    double added[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) added[i] = i < count ? here[i * column.stride] : 0.0;
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      if (i < count) here[i * column.stride] = state;
      state = fused(state, decay, added[i]);
    }
  }
}

/// The layer's cells as the apply kernel works on them.
struct Cells {
  std::int64_t count;
  const double* before;  ///< nullptr: all 0
  double* after;
  const float* uncertainty_before;
  float* uncertainty_after;
  double growth, rounding;
  std::int64_t own_begin, own_end;  ///< cells that may be peaks
  LayerPeak* tile_peaks;
  double* tile_tops;   ///< the largest value plus uncertainty of each tile
  unsigned* finished;  ///< counts the tiles that are done; 0 before and after
  Screened* found;
};

/// States at the evaluated chunks: those that enter the tile pass over its chunks, in place.
__device__ void pass_states(const Scratch& scratch, const Terms& t, bool any,
                            const double* states) {
  for (int item = threadIdx.x; item < 2 * t.terms; item += threads) {
    const int term = item % t.terms;
    const bool to_right = item < t.terms;
    const double decay = t.decay[term];
    double state = states[std::int64_t{blockIdx.x} * 2 * t.terms + item];
    double* here =
        to_right ? scratch.right + term : scratch.left + (seen_chunks - 1) * t.terms + term;
    const int step = to_right ? t.terms : -t.terms;
#pragma unroll 4
    for (int c = 0; c < evaluated_chunks; ++c, here += step) {
      const double added = any ? *here : 0.0;
      *here = state;
      state = fused(state, decay, added);
    }
  }
}

/// Polynomials of the evaluated chunks. The states of evaluated chunk k, `right` at row k and
/// `left` at row k + 2, are added and subtracted first: even powers take their sum, odd ones their
/// difference.
template <int coefficients>
__device__ void polynomials(const Scratch& scratch, int terms) {
  double* const sums = scratch.right;
  double* const differences = scratch.left + 2 * terms;
  for (int i = threadIdx.x; i < evaluated_chunks * terms; i += threads) {
    const double right = sums[i];
    const double left = differences[i];
    sums[i] = right + left;
    differences[i] = right - left;
  }
  __syncthreads();
  constexpr int at_once = 3;
  static_assert(evaluated_chunks % at_once == 0);
  for (int item = threadIdx.x; item < evaluated_chunks / at_once * coefficients; item += threads) {
    const int i = item % coefficients;
    const int first = item / coefficients * at_once;
    const double* states = (i % 2 == 0 ? sums : differences) + first * terms;
    double sum[at_once] = {};
#pragma unroll 4
    for (int term = 0; term < terms; ++term) {
      const double factor = scratch.target[term * coefficients + i];
#pragma unroll
      for (int c = 0; c < at_once; ++c) sum[c] = fused(states[c * terms + term], factor, sum[c]);
    }
#pragma unroll
    for (int c = 0; c < at_once; ++c) scratch.polynomial[(first + c) * coefficients + i] = sum[c];
  }
}

/// A thread's cells: in chunk k = warp + c * warps the cells `lane` and 63 - `lane`.
constexpr int chunks_each = (evaluated_chunks + warps - 1) / warps;

/// Calls use(c, side, i) for every cell i of the thread, -halo .. tile_cells + halo - 1.
template <class Use>
__device__ void for_each_cell(const Use& use) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int c = 0; c < chunks_each; ++c) {
    const int first = (warp + c * warps - 1) * width;
    const int cell[2] = {first + lane, first + width - 1 - lane};
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      if (cell[side] >= -halo && cell[side] < tile_cells + halo) use(c, side, cell[side]);
    }
  }
}

/// The sums of one field in the thread's cells. Cell j of evaluated chunk k meets the impacts of
/// the chunk and its neighbours at strength[k * width + p], p = 0 .. 3 width - 1, whose distance is
/// j + width - p.
template <int coefficients, class Amount>
__device__ void evaluate(const Scratch& scratch, const Terms& t, const SourceArray<Amount>& sources,
                         const double* states, double (&sum)[chunks_each][2]) {
  const std::int64_t first = std::int64_t{blockIdx.x} * tile_chunks;
  bool any = false;
  const Impacts impacts = surroundings<coefficients>(scratch, t, sources, first, any);
  __syncthreads();
  pass_states(scratch, t, any, states);
  __syncthreads();
  polynomials<coefficients>(scratch, t.terms);
  __syncthreads();

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const double x = position_in_chunk(lane);
  const double square = x * x;
  int chunk[chunks_each];
#pragma unroll
  for (int c = 0; c < chunks_each; ++c) {
    chunk[c] = min(warp + c * warps, evaluated_chunks - 1);
    const auto* two =
        reinterpret_cast<const double2*>(scratch.polynomial) + chunk[c] * (coefficients / 2);
    double2 sums = two[coefficients / 2 - 1];
#pragma unroll
    for (int i = coefficients / 2 - 2; i >= 0; --i) {
      sums.x = fused(sums.x, square, two[i].x);
      sums.y = fused(sums.y, square, two[i].y);
    }
    sum[c][0] = fused(x, sums.y, sums.x);
    sum[c][1] = fused(-x, sums.y, sums.x);
  }

  const double* const near[2] = {scratch.near + 3 * width + lane,
                                 scratch.near + 4 * width - 1 - lane};
  if (impacts == Impacts::few) {
#pragma unroll
    for (int c = 0; c < chunks_each; ++c) {
      for (int row = 0; row < 3; ++row) {
        for (std::uint64_t mask = scratch.mask[chunk[c] + row]; mask != 0; mask &= mask - 1) {
          const int p = row * width + __ffsll(static_cast<long long>(mask)) - 1;
          const double strength = scratch.strength[chunk[c] * width + p];
          sum[c][0] = fused(strength, near[0][-p], sum[c][0]);
          sum[c][1] = fused(strength, near[1][-p], sum[c][1]);
        }
      }
    }
  } else if (impacts == Impacts::many) {
    // All impacts, set or not: the attenuation, once loaded, serves all chunks of the thread.
#pragma unroll 2
    for (int p = 0; p < 3 * width; p += 2) {
      const double even[2] = {near[0][-p], near[1][-p]};
      const double odd[2] = {near[0][-p - 1], near[1][-p - 1]};
#pragma unroll
      for (int c = 0; c < chunks_each; ++c) {
        const double2 two =
            *reinterpret_cast<const double2*>(scratch.strength + chunk[c] * width + p);
#pragma unroll
        for (int side = 0; side < 2; ++side) {
          sum[c][side] = fused(two.x, even[side], sum[c][side]);
          sum[c][side] = fused(two.y, odd[side], sum[c][side]);
        }
      }
    }
  }
}

__device__ LayerPeak higher(const LayerPeak& a, const LayerPeak& b) {
  const bool take_b =
      b.cell >= 0 && (a.cell < 0 || b.value > a.value || (b.value == a.value && b.cell < a.cell));
  return take_b ? b : a;
}

__device__ LayerPeak highest_of_warp(LayerPeak peak) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    peak = higher(
        peak, {__shfl_down_sync(~0U, peak.value, lanes), __shfl_down_sync(~0U, peak.cell, lanes)});
  }
  return peak;
}

/// As an upper bound for a binary64 value, in binary32 (docs/methods.md, (3)).
__device__ float rounded_up(double bound) {
  return static_cast<float>(fused(bound, 1 + 0x1p-21, 1e-37));
}

/// `cell` counted from the tile's first one, as far as it matters there.
__device__ int in_tile(std::int64_t cell, std::int64_t tile_first) {
  constexpr std::int64_t beyond = 2 * halo;
  return static_cast<int>(min(max(cell - tile_first, -beyond), tile_cells + beyond));
}

/// Adds the sums to a tile's cells, relaxes them and finds the tile's highest peak.
template <int coefficients, bool tracked>
__global__ void __launch_bounds__(threads, tracked              ? 4
                                           : coefficients == 12 ? 8
                                                                : 5)
    apply_kernel(const Terms t, const SourceArray<std::int64_t> energies,
                 const SourceArray<double> uncertainties, const double* states, const Cells cells) {
  extern __shared__ double memory[];
  const Scratch scratch(memory, coefficients, t.terms);
  const std::int64_t tile_first = std::int64_t{blockIdx.x} * tile_cells - first_cell;
  const int thread = static_cast<int>(threadIdx.x);
  const int layer_begin = in_tile(0, tile_first);
  const int layer_end = in_tile(cells.count, tile_first);

  double value[chunks_each][2] = {};
  double uncertainty[chunks_each][2] = {};
  for_each_cell([&](int c, int side, int i) {
    if (i < layer_begin || i >= layer_end) return;
    if (cells.before != nullptr) value[c][side] = cells.before[tile_first + i];
    if constexpr (tracked) uncertainty[c][side] = cells.uncertainty_before[tile_first + i];
  });
  for (int i = thread; i < near_size; i += threads) scratch.near[i] = t.near[i];
  for (int i = thread; i < t.terms * coefficients; i += threads) scratch.target[i] = t.target[i];

  double sum[chunks_each][2];
  if constexpr (tracked) {
    evaluate<coefficients>(scratch, t, uncertainties, states + 2 * t.terms * t.tiles, sum);
    __syncthreads();
    for_each_cell([&](int c, int side, int) {
      uncertainty[c][side] +=
          cells.growth * (uncertainty[c][side] + fabs(value[c][side])) + sum[c][side];
    });
  }
  evaluate<coefficients>(scratch, t, energies, states, sum);
  __syncthreads();
  for_each_cell([&](int c, int side, int i) {
    const double here = value[c][side] + sum[c][side];
    scratch.value[i] = here;
    if constexpr (tracked) {
      scratch.uncertainty[i] = uncertainty[c][side] + cells.rounding * fabs(here);
    }
  });
  __syncthreads();

  // The layer's two ends are not relaxed.
#pragma unroll
  for (int i = thread - 1; i <= tile_cells; i += threads) {
    const double* here = scratch.value + i;
    scratch.relaxed[i] =
        i == layer_begin || i == layer_end - 1 ? *here : (here[-1] + here[0] + here[1]) * (1.0 / 3);
  }
  __syncthreads();

  const int begin = max(layer_begin, 0);
  const int end = min(layer_end, tile_cells);
  const int own_begin = in_tile(cells.own_begin, tile_first);
  const int own_end = in_tile(cells.own_end, tile_first);
  double best = 0;
  int best_cell = -1;
  double top = -INFINITY;
#pragma unroll 4
  for (int i = begin + thread; i < end; i += threads) {
    const double here = scratch.relaxed[i];
    cells.after[tile_first + i] = here;
    double bound = here;
    if constexpr (tracked) {
      const double* known = scratch.uncertainty + i;
      const float off = rounded_up(i == layer_begin || i == layer_end - 1
                                       ? known[0]
                                       : (known[-1] + known[0] + known[1]) * (1.0 / 3));
      cells.uncertainty_after[tile_first + i] = off;
      bound += static_cast<double>(off);
    }
    top = fmax(top, bound);
    if (here > best && here > scratch.relaxed[i - 1] && here > scratch.relaxed[i + 1] &&
        i >= own_begin && i < own_end) {
      best = here;
      best_cell = i;
    }
  }
  __shared__ LayerPeak peak_of_warp[warps];
  __shared__ double top_of_warp[warps];
  __shared__ bool last;
  LayerPeak peak = highest_of_warp({best, best_cell < 0 ? -1 : tile_first + best_cell});
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    top = fmax(top, __shfl_down_sync(~0U, top, lanes));
  }
  if (thread % 32 == 0) {
    peak_of_warp[thread / 32] = peak;
    top_of_warp[thread / 32] = top;
  }
  __syncthreads();
  if (thread == 0) {
    for (int w = 1; w < warps; ++w) {
      peak = higher(peak, peak_of_warp[w]);
      top = fmax(top, top_of_warp[w]);
    }
    cells.tile_peaks[blockIdx.x] = peak;
    cells.tile_tops[blockIdx.x] = top;
    __threadfence();
    last = atomicAdd(cells.finished, 1U) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!last) return;

  // The block that is done last finds the highest of all peaks.
  __threadfence();
  peak = {0, -1};
  for (std::int64_t tile = thread; tile < gridDim.x; tile += threads) {
    peak = higher(peak, cells.tile_peaks[tile]);
  }
  peak = highest_of_warp(peak);
  if (thread % 32 == 0) peak_of_warp[thread / 32] = peak;
  __syncthreads();
  if (thread == 0) {
    for (int w = 1; w < warps; ++w) peak = higher(peak, peak_of_warp[w]);
    cells.found->peak = peak;
    cells.found->count = 0;
    *cells.finished = 0;
  }
}

/// Empties the cells of the deposits to come and all masks.
__global__ void clear_kernel(const Deposit* deposits, std::int64_t count, std::int64_t chunks,
                             std::uint64_t* mask, std::int64_t* energy, double* uncertainty) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t c = thread; c < chunks; c += step) mask[c] = 0;
  for (std::int64_t i = thread; i < count; i += step) {
    const std::int64_t cell = deposits[i].position + first_cell;
    if (cell < 0 || cell >= chunks * chunk_cells) continue;
    energy[cell] = 0;
    if (uncertainty != nullptr) uncertainty[cell] = 0;
  }
}

/// Adds up what the deposits bring to each cell: energies exactly, in any order. Without `mask` the
/// masks are all set already.
__global__ void deposit_kernel(const Deposit* deposits, std::int64_t count, std::int64_t chunks,
                               std::uint64_t* mask, std::int64_t* energy, double* uncertainty) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const Deposit deposit = deposits[i];
    const std::int64_t cell = deposit.position + first_cell;
    if (cell < 0 || cell >= chunks * chunk_cells) continue;
    atomicAdd(reinterpret_cast<unsigned long long*>(energy + cell),
              static_cast<unsigned long long>(std::int64_t{deposit.energy}));
    if (uncertainty != nullptr) atomicAdd(uncertainty + cell, double{deposit.uncertainty});
    if (mask != nullptr) {
      atomicOr(reinterpret_cast<unsigned long long*>(mask + cell / chunk_cells),
               1ULL << (cell % chunk_cells));
    }
  }
}

/// Deposits outside the padded layer, as moments of the chunk next to it: a block a term, always
/// added in the same order. outside is [field][side][term].
constexpr int outside_threads = 256;
__global__ void __launch_bounds__(outside_threads)
    outside_kernel(const Deposit* deposits, std::int64_t count, std::int64_t chunks, int terms,
                   const double* exponents, double* outside) {
  const double a = exponents[blockIdx.x];
  double sum[4] = {};
  for (std::int64_t i = threadIdx.x; i < count; i += outside_threads) {
    const Deposit deposit = deposits[i];
    const std::int64_t cell = deposit.position + first_cell;
    const std::int64_t end = chunks * chunk_cells;
    if (cell >= 0 && cell < end) continue;
    const int side = cell < 0 ? 0 : 1;
    const double distance = static_cast<double>(side == 0 ? -1 - cell : cell - end);
    const double factor = exp(a * (half_width - 0.5 - distance));
    sum[side] = fused(static_cast<double>(deposit.energy), factor, sum[side]);
    sum[2 + side] = fused(static_cast<double>(deposit.uncertainty), factor, sum[2 + side]);
  }
  __shared__ double of_thread[4][outside_threads];
  for (int i = 0; i < 4; ++i) of_thread[i][threadIdx.x] = sum[i];
  __syncthreads();
  for (int step = outside_threads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      for (int i = 0; i < 4; ++i) {
        of_thread[i][threadIdx.x] += of_thread[i][threadIdx.x + step];
      }
    }
    __syncthreads();
  }
  if (threadIdx.x < 4) outside[threadIdx.x * terms + blockIdx.x] = of_thread[threadIdx.x][0];
}

__global__ void start_uncertainty_kernel(const double* layer, std::int64_t cells, double factor,
                                         float* uncertainty) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  uncertainty[i] = layer == nullptr ? 0.0F : rounded_up(factor * fabs(layer[i]));
}

/// Notes every cell that may be the largest peak: value + uncertainty reaches the least possible
/// value of the fast layer's, and the cell may be above its neighbours. A block looks at a few
/// tiles and at the cells of those that reach so far.
constexpr int screened_tiles = 8;
__global__ void __launch_bounds__(threads)
    screen_kernel(const double* layer, const float* uncertainty, double factor, std::int64_t begin,
                  std::int64_t end, std::int64_t tiles, const double* tile_tops,
                  Candidate* candidates, std::int64_t room, unsigned long long* used,
                  Screened* found) {
  const auto off = [&](std::int64_t cell) {
    return factor * fabs(layer[cell]) +
           (uncertainty != nullptr ? static_cast<double>(uncertainty[cell]) : 0.0);
  };
  const LayerPeak peak = found->peak;
  const double least = peak.cell < 0 ? 0.0 : fmax(0.0, peak.value - off(peak.cell));
  if (blockIdx.x == 0 && threadIdx.x == 0) found->least = least;
  const std::int64_t first = std::int64_t{blockIdx.x} * screened_tiles;
  for (std::int64_t tile = first; tile < min(first + screened_tiles, tiles); ++tile) {
    const double top = tile_tops[tile];
    if (!(top + factor * fabs(top) >= least)) continue;
    const std::int64_t tile_first = tile * tile_cells - first_cell;
    for (std::int64_t cell = max(tile_first, begin) + threadIdx.x;
         cell < min(tile_first + tile_cells, end); cell += threads) {
      const double upper = layer[cell] + off(cell);
      if (upper < least || upper <= 0 || upper <= layer[cell - 1] - off(cell - 1) ||
          upper <= layer[cell + 1] - off(cell + 1)) {
        continue;
      }
      atomicAdd(&found->count, 1ULL);
      const auto place = static_cast<std::int64_t>(atomicAdd(used, 1ULL));
      if (place < room) candidates[place] = {cell, upper};
    }
  }
}

LaunchShape strided(std::int64_t elements) {
  constexpr std::int64_t most_blocks = 4096;
  const LaunchShape all = one_thread_each(std::max<std::int64_t>(elements, 1));
  return {std::min(all.blocks, most_blocks), all.threads};
}

template <class T>
void set_bytes(std::span<T> memory, int byte) {
  check(cudaMemsetAsync(memory.data(), byte, memory.size_bytes(), nullptr), "setting memory");
}

template <int coefficients>
void allow_shared_memory_of_all() {
  allow_shared_memory(gather_kernel<coefficients, std::int64_t>);
  allow_shared_memory(gather_kernel<coefficients, double>);
  allow_shared_memory(apply_kernel<coefficients, false>);
  allow_shared_memory(apply_kernel<coefficients, true>);
}

std::int64_t chunks_for(std::int64_t cells) {
  return (cells + 2 * chunk_cells + chunk_cells - 1) / chunk_cells;
}
std::int64_t tiles_for(std::int64_t cells) {
  return (chunks_for(cells) + tile_chunks - 1) / tile_chunks;
}

// With so many deposits to a cell all cells are summed: no mask has to be set for each.
constexpr std::int64_t dense_cells_a_deposit = 8;

}  // namespace

ConvolvedLayer::ConvolvedLayer(std::int64_t cells, double power, double scale,
                               double relative_error)
    : cells_(cells),
      chunks_(chunks_for(cells)),
      tiles_(tiles_for(cells)),
      power_(power),
      scale_(scale),
      wanted_error_(relative_error) {
  // Roundings of a share on its way (docs/methods.md, The convolution).
  const Runs runs(tiles_);
  rounding_ = static_cast<double>(2000 + 4 * (runs.run + runs.runs)) * 0x1p-53;
  mask_ = DeviceArray<std::uint64_t>(chunks_);
  energy_ = DeviceArray<std::int64_t>(chunks_ * chunk_cells);
  layer_ = DeviceArray<double>(cells);
  next_layer_ = DeviceArray<double>(cells);
  tile_peaks_ = DeviceArray<LayerPeak>(tiles_);
  tile_tops_ = DeviceArray<double>(tiles_);
  finished_ = DeviceArray<unsigned>(1);
  set_bytes(finished_.span(), 0);
  near_ = DeviceArray<double>(near_size);
  reach(static_cast<double>(chunks_ * chunk_cells));
  allow_shared_memory_of_all<12>();
  allow_shared_memory_of_all<16>();
}

std::int64_t ConvolvedLayer::bytes(std::int64_t cells, bool with_uncertainty) {
  constexpr std::int64_t states = 4 * 80 * sizeof(double);  // both ways, both fields, 80 terms
  constexpr std::int64_t tile = states + sizeof(LayerPeak) + sizeof(double);
  const std::int64_t a_cell = 2 * sizeof(double) + sizeof(std::int64_t) +
                              (with_uncertainty ? 2 * sizeof(float) + sizeof(double) : 0);
  return (chunks_for(cells) * chunk_cells) * a_cell +
         chunks_for(cells) * static_cast<std::int64_t>(sizeof(std::uint64_t)) +
         tiles_for(cells) * tile;
}

/// Tables that cover distances up to this one.
void ConvolvedLayer::reach(double distance) {
  if (tables_ != nullptr && tables_->longest >= distance) return;
  tables_ = std::make_unique<ConvolutionTables>(power_, scale_, 2 * distance, wanted_error_,
                                                ConvolutionTables::Polynomials::at_both);
  const ConvolutionTables& tables = *tables_;
  const std::size_t terms = tables.exponents.size();
  const auto coefficients = static_cast<std::size_t>(tables.degree + 1);
  std::vector<double> shape(terms * coefficients), target(terms * coefficients), decay(terms);
  for (std::size_t t = 0; t < terms; ++t) {
    const double a = tables.exponents[t];
    const double factor = scale_ * tables.weights[t] * std::exp(-a * (2 * width + 1));
    decay[t] = std::exp(-a * width);
    for (std::size_t i = 0; i < coefficients; ++i) {
      shape[i * terms + t] = tables.shape[t][i];
      target[t * coefficients + i] = factor * tables.shape[t][i];
    }
  }
  std::vector<double> powers;
  for (int j = 0; j < half_width; ++j) {
    for (std::size_t i = 0; i < coefficients; ++i) {
      powers.push_back(std::pow(position_in_chunk(j), static_cast<double>(i)));
    }
  }
  exponents_ = DeviceArray<double>(std::span<const double>(tables.exponents));
  powers_ = DeviceArray<double>(std::span<const double>(powers));
  shape_ = DeviceArray<double>(std::span<const double>(shape));
  target_ = DeviceArray<double>(std::span<const double>(target));
  decay_ = DeviceArray<double>(std::span<const double>(decay));
  near_.copy_from({tables.near.front().lane, near_size});
  outside_ = DeviceArray<double>(static_cast<std::int64_t>(4 * terms));
  set_bytes(outside_.span(), 0);
  outside_empty_ = true;
}

void ConvolvedLayer::clear() {
  fresh_ = true;
  uncertainty_ = DeviceArray<float>();
  next_uncertainty_ = DeviceArray<float>();
}

void ConvolvedLayer::track_uncertainty(double factor) {
  uncertainty_ = DeviceArray<float>(cells_);
  next_uncertainty_ = DeviceArray<float>(cells_);
  if (uncertainty_sum_.size() == 0) {
    uncertainty_sum_ = DeviceArray<double>(chunks_ * chunk_cells);
  }
  launch("start uncertainty", one_thread_each(cells_), start_uncertainty_kernel,
         fresh_ ? nullptr : layer_.span().data(), cells_, factor, uncertainty_.span().data());
}

void ConvolvedLayer::apply(std::span<const Deposit> deposits, std::int64_t lowest,
                           std::int64_t highest, const UncertaintyGrowth& growth,
                           std::int64_t own_begin, std::int64_t own_end, Screened* found) {
  const auto count = static_cast<std::int64_t>(deposits.size());
  const std::int64_t padded = chunks_ * chunk_cells;
  const bool outside = count > 0 && (lowest < -first_cell || highest >= padded - first_cell);
  if (outside) {
    reach(std::max(static_cast<double>(highest), static_cast<double>(padded) - lowest) +
          2 * chunk_cells);
  }
  const bool tracked = tracks_uncertainty();
  const auto terms = static_cast<int>(tables_->exponents.size());
  const std::int64_t a_field = 2 * terms * tiles_;
  const std::int64_t states = (tracked ? 2 : 1) * a_field;
  if (states_.size() < states) {
    states_ = DeviceArray<double>(states);
    run_states_ = DeviceArray<double>(2 * terms * Runs(tiles_).runs);
  }

  std::uint64_t* const mask = mask_.span().data();
  std::int64_t* const energy = energy_.span().data();
  double* const uncertainty_sum = tracked ? uncertainty_sum_.span().data() : nullptr;
  const bool dense = count > padded / dense_cells_a_deposit;
  if (dense) {
    set_bytes(mask_.span(), 0xff);
    set_bytes(energy_.span(), 0);
    if (tracked) set_bytes(uncertainty_sum_.span(), 0);
  } else {
    launch("clear", strided(std::max(count, chunks_)), clear_kernel, deposits.data(), count,
           chunks_, mask, energy, uncertainty_sum);
  }
  if (count > 0) {
    launch("deposit", strided(count), deposit_kernel, deposits.data(), count, chunks_,
           dense ? nullptr : mask, energy, uncertainty_sum);
  }
  double* const moments_outside = outside_.span().data();
  if (outside) {
    launch("outside", {terms, outside_threads}, outside_kernel, deposits.data(), count, chunks_,
           terms, exponents_.span().data(), moments_outside);
  } else if (!outside_empty_) {
    set_bytes(outside_.span(), 0);
  }
  outside_empty_ = !outside;

  const Terms t{.terms = terms,
                .chunks = chunks_,
                .tiles = tiles_,
                .shape = shape_.span().data(),
                .target = target_.span().data(),
                .powers = powers_.span().data(),
                .decay = decay_.span().data(),
                .near = near_.span().data()};
  const SourceArray<std::int64_t> energies{mask, energy, moments_outside};
  const SourceArray<double> uncertainties{mask, uncertainty_sum, moments_outside + 2 * terms};
  const Cells cells{.count = cells_,
                    .before = fresh_ ? nullptr : layer_.span().data(),
                    .after = next_layer_.span().data(),
                    .uncertainty_before = uncertainty_.span().data(),
                    .uncertainty_after = next_uncertainty_.span().data(),
                    .growth = growth.growth,
                    .rounding = growth.rounding,
                    .own_begin = std::max<std::int64_t>(own_begin, 1),
                    .own_end = std::min(own_end, cells_ - 1),
                    .tile_peaks = tile_peaks_.span().data(),
                    .tile_tops = tile_tops_.span().data(),
                    .finished = finished_.span().data(),
                    .found = found};
  double* const of_values = states_.span().data();

  const auto with_coefficients = [&]<int coefficients>() {
    const std::int64_t bytes = 8 * Scratch::size(coefficients, terms);
    const auto gather = [&]<class Amount>(const SourceArray<Amount>& sources, double* to) {
      launch("gather", {tiles_, threads, bytes}, gather_kernel<coefficients, Amount>, t, sources,
             to);
      if (tiles_ <= most_scanned_tiles) {
        launch("scan", {2 * terms, scan_threads}, scan_kernel, terms, tiles_,
               exponents_.span().data(), to);
        return;
      }
      const Runs runs(tiles_);
      const LaunchShape a_run_each{runs.runs, (2 * terms + 31) / 32 * 32};
      launch("add runs", a_run_each, add_runs_kernel, terms, runs, exponents_.span().data(), to,
             run_states_.span().data());
      launch("pass runs", a_run_each, pass_runs_kernel, terms, runs, exponents_.span().data(), to,
             run_states_.span().data());
    };
    gather(energies, of_values);
    if (tracked) gather(uncertainties, of_values + a_field);

    const auto apply_tiles =
        tracked ? apply_kernel<coefficients, true> : apply_kernel<coefficients, false>;

    launch("apply", {tiles_, threads, bytes}, apply_tiles, t, energies, uncertainties, of_values,
           cells);
  };
  if (tables_->degree == 11) {
    with_coefficients.operator()<12>();
  } else {
    with_coefficients.operator()<16>();
  }
  std::swap(layer_, next_layer_);
  std::swap(uncertainty_, next_uncertainty_);
  fresh_ = false;
}

void ConvolvedLayer::screen(double factor, std::int64_t own_begin, std::int64_t own_end,
                            std::span<Candidate> candidates, unsigned long long* used,
                            Screened* found) const {
  launch("screen", {(tiles_ + screened_tiles - 1) / screened_tiles, threads}, screen_kernel,
         layer_.span().data(), uncertainty_.span().data(), factor,
         std::max<std::int64_t>(own_begin, 1), std::min(own_end, cells_ - 1), tiles_,
         tile_tops_.span().data(), candidates.data(), static_cast<std::int64_t>(candidates.size()),
         used, found);
}

void ConvolvedLayer::values(std::span<double> values) const {
  if (fresh_) {
    std::ranges::fill(values, 0.0);
  } else {
    layer_.copy_to(values);
  }
}

void ConvolvedLayer::uncertainties(std::span<float> uncertainties) const {
  uncertainty_.copy_to(uncertainties);
}

}  // namespace bombard::cuda
