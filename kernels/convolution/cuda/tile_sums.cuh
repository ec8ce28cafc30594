#pragma once

// The sums that a storm brings to the cells of a tile (docs/methods.md, The fast layer): states,
// coefficients, polynomials and near impacts, in this order. A block of threads takes a tile.

#include <cstdint>

#include "kernels/convolution/cuda/apply.hpp"
#include "kernels/convolution/cuda/cells.cuh"
#include "kernels/convolution/cuda/tile.cuh"

namespace bombard::cuda {

/// A state passes the chunks of a tile in four parts at once.
constexpr int parts = 4;

/// What gives the far part of a tile's sums.
enum class SumsFrom { polynomials, exponentials };

constexpr int coefficients = 2 * parity_coefficients;

/// Shared memory of a block.
template <int tile_chunks>
struct Scratch {
  static constexpr int evaluated = evaluated_chunks(tile_chunks);
  /// Each coefficient has this number of partial sums, among which the terms are shared out.
  static constexpr int slices = tile_threads / (2 * evaluated);
  static_assert(tile_threads % (2 * evaluated) == 0);

  TileSources<tile_chunks> sources;
  /// The states that enter the tile, and behind them what each part of its chunks adds.
  double of_parts[parts][2][terms_at_once];
  union {
    /// A and B with which each chunk is evaluated; at first the moments that are added to them.
    ChunkStates<tile_chunks> state;
    alignas(16) double partial[slices][evaluated][coefficients];
  };
  /// Coefficients, even ones and then odd ones: of each term's polynomial, and in the end of each
  /// chunk's polynomial.
  union {
    alignas(16) double of_term[terms_at_once][coefficients];
    alignas(16) double of_chunk[evaluated][coefficients];
  };
  /// The first and the last cell of each chunk, of the chunk before the first one and of the one
  /// behind the last: these two are never written, and no cell that they spoil is kept. There are
  /// two buffers, used in turn, so that a barrier protects the reads of the use before.
  double border[2][evaluated + 2][2];
};

/// A number for each of a thread's cells. A warp takes every eighth chunk, and a lane two cells of
/// each, which are mirror images of one another: a polynomial has the same even and the same odd
/// part in both, but for a sign. Beyond the tile's halo numbers mean nothing.
template <int tile_chunks>
struct ThreadCells {
  static constexpr int chunks = evaluated_chunks(tile_chunks) / tile_warps;
  static_assert(evaluated_chunks(tile_chunks) % tile_warps == 0);
  double of[chunks][2] = {};
};

/// Calls use(i, mirrored, cell) for the thread's cells, counted from the tile's first own cell.
template <int tile_chunks, class Use>
__device__ void for_each_cell(const Use& use) {
#pragma unroll
  for (int i = 0; i < ThreadCells<tile_chunks>::chunks; ++i) {
    const int first = (warp() + i * tile_warps - 1) * width;
    use(i, 0, first + lane());
    use(i, 1, first + width - 1 - lane());
  }
}

/// In find_states() a lane takes a term, and a warp a side, A or B, and a part of the chunks.
__device__ inline int side_of_warp() {
  return warp() % 2;
}
__device__ inline int part_of_warp() {
  return warp() / 2;
}

/// One field of a storm in a tile.
struct TileField {
  const Tables& t;
  const Tiling& tiling;
  const States& states;
  std::int64_t tile;
  bool any_sources = false;

  /// The state that enters the tile for the thread's term and side, if it takes the first part.
  __device__ double load_entering(int first) const {
    const int term = first + lane(), side = side_of_warp();
    if (term >= t.terms || part_of_warp() > 0) return 0;
    const std::int64_t on_way = tiling.on_way(side == 0, tile);
    return states.entering[(side * t.terms + term) * tiling.tiles + on_way];
  }
  /// Whether a chunk that the tile sees, or one next to the layer, has a moment.
  __device__ bool any_moments() const { return any_sources || tiling.sees_outside(tile); }
};

/// Finds A and B of the evaluated chunks for the terms from `first` on, from the states that enter
/// the tile and the moments that are added to them on their way. Begins and ends with a barrier.
template <int tile_chunks>
__device__ void find_states(Scratch<tile_chunks>& scratch, const TileField& field, int first,
                            double entering) {
  constexpr int evaluated = evaluated_chunks(tile_chunks), chunks = evaluated / parts;
  static_assert(tile_warps == 2 * parts && evaluated % parts == 0);
  static_assert((chunks & (chunks - 1)) == 0);  // the decay over a part is found by squaring
  const Tables& t = field.t;
  const int side = side_of_warp(), part = part_of_warp();
  const double decay = first + lane() < t.terms ? t.chunk_decay[first + lane()] : 0;
  double over_part = decay;
#pragma unroll
  for (int c = 1; c < chunks; c *= 2) over_part *= over_part;
  const int step = side == 0 ? 1 : -1;
  double(*const begin)[terms_at_once + 1] =
      scratch.state[side] + (side == 0 ? part * chunks : evaluated - 1 - part * chunks);
  if (part == 0) scratch.of_parts[0][side][lane()] = entering;
  if (!field.any_moments()) {
    __syncthreads();
    double state = scratch.of_parts[0][side][lane()];
    for (int p = 0; p < part; ++p) state *= over_part;
    auto* here = begin;
#pragma unroll
    for (int c = 0; c < chunks; ++c, here += step, state *= decay) (*here)[lane()] = state;
    __syncthreads();
    return;
  }
  add_up_moments(scratch.sources, t, first, field.tiling, field.tile, field.states.outside,
                 scratch.state);
  __syncthreads();
  double sum = 0, added[chunks];
#pragma unroll
  for (int c = 0; c < chunks; ++c) sum = fma(sum, decay, added[c] = begin[c * step][lane()]);
  if (part + 1 < parts) scratch.of_parts[part + 1][side][lane()] = sum;
  __syncthreads();
  double state = scratch.of_parts[0][side][lane()];
  for (int p = 1; p <= part; ++p) {
    state = fma(state, over_part, scratch.of_parts[p][side][lane()]);
  }
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    begin[c * step][lane()] = state;
    state = fma(state, decay, added[c]);
  }
  __syncthreads();
}

/// The coefficients of the chunks' polynomials: even ones from A + B, odd ones from A - B. A thread
/// adds up a slice of the terms for four coefficients of two chunks. Its number is made of, from
/// the lowest digit: even or odd; the lower or the upper four; the chunk; the slice.
template <int tile_chunks>
class ChunkPolynomials {
 public:
  /// Loads the tables of the terms from `first` on; a barrier must come between this and add().
  __device__ static void load_terms(Scratch<tile_chunks>& scratch, const Tables& t, int first) {
    const int term = static_cast<int>(threadIdx.x) / parity_coefficients;
    const int power = static_cast<int>(threadIdx.x) % parity_coefficients;
    static_assert(tile_threads == terms_at_once * parity_coefficients);
    if (first + term >= t.terms) return;
    const int at = (first + term) * parity_coefficients + power;
    scratch.of_term[term][power] = t.even[at];
    scratch.of_term[term][parity_coefficients + power] = t.odd[at];
  }

  __device__ void add(const Scratch<tile_chunks>& scratch, const Tables& t, int first) {
    const double sign = is_odd() ? -1 : 1;
    for (int j = slice(); j < min(terms_at_once, t.terms - first);
         j += Scratch<tile_chunks>::slices) {
      const auto* const w = reinterpret_cast<const double2*>(&scratch.of_term[j][first_power()]);
      const double2 low = w[0], high = w[1];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const double state =
            fma(sign, scratch.state[1][chunk(k)][j], scratch.state[0][chunk(k)][j]);
        sum_[k][0] = fma(low.x, state, sum_[k][0]);
        sum_[k][1] = fma(low.y, state, sum_[k][1]);
        sum_[k][2] = fma(high.x, state, sum_[k][2]);
        sum_[k][3] = fma(high.y, state, sum_[k][3]);
      }
    }
  }

  /// To be called when all terms have been added.
  __device__ void store(Scratch<tile_chunks>& scratch) const {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      auto* const to =
          reinterpret_cast<double2*>(&scratch.partial[slice()][chunk(k)][first_power()]);
      to[0] = {sum_[k][0], sum_[k][1]};
      to[1] = {sum_[k][2], sum_[k][3]};
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < evaluated * coefficients; i += tile_threads) {
      const int c = i / coefficients, power = i % coefficients;
      double of_all = 0;
#pragma unroll
      for (int s = 0; s < Scratch<tile_chunks>::slices; ++s) of_all += scratch.partial[s][c][power];
      scratch.of_chunk[c][power] = of_all;
    }
    __syncthreads();
  }

 private:
  static constexpr int evaluated = evaluated_chunks(tile_chunks);
  static_assert(coefficients == 16);

  __device__ static bool is_odd() {
    return threadIdx.x % 2 != 0;
  }
  __device__ static int first_power() {
    return static_cast<int>(threadIdx.x) % 2 * parity_coefficients +
           static_cast<int>(threadIdx.x) / 2 % 2 * 4;
  }
  __device__ static int chunk(int k) {
    return static_cast<int>(threadIdx.x) / 4 % (evaluated / 2) + k * evaluated / 2;
  }
  __device__ static int slice() {
    return static_cast<int>(threadIdx.x) / (2 * evaluated);
  }

  double sum_[2][4] = {};
};

/// Adds the far part of the thread's cells by Horner's rule, x = (cell - 31.5)/32 in each chunk.
template <int tile_chunks>
__device__ void add_polynomials(const Scratch<tile_chunks>& scratch,
                                ThreadCells<tile_chunks>& sum) {
  const double x = (lane() - (half_width - 0.5)) / half_width, square = x * x;
#pragma unroll
  for (int i = 0; i < ThreadCells<tile_chunks>::chunks; ++i) {
    const auto* const powers =
        reinterpret_cast<const double2*>(scratch.of_chunk[warp() + i * tile_warps]);
    double even = 0, odd = 0;
#pragma unroll
    for (int k = parity_coefficients / 2 - 1; k >= 0; --k) {
      const double2 of_even = powers[k], of_odd = powers[parity_coefficients / 2 + k];
      even = fma(fma(even, square, of_even.y), square, of_even.x);
      odd = fma(fma(odd, square, of_odd.y), square, of_odd.x);
    }
    sum.of[i][0] += fma(x, odd, even);
    sum.of[i][1] += fma(-x, odd, even);
  }
}

/// Adds the far part where the attenuation is too steep for polynomials: each state times the
/// exponential itself.
template <int tile_chunks>
__device__ void add_exponentials(const Scratch<tile_chunks>& scratch, const Tables& t, int first,
                                 ThreadCells<tile_chunks>& sum) {
  const double* target = t.target + first * width;
  for (int j = 0; j < min(terms_at_once, t.terms - first); ++j, target += width) {
    const double here = target[lane()], mirrored = target[width - 1 - lane()];
#pragma unroll
    for (int i = 0; i < ThreadCells<tile_chunks>::chunks; ++i) {
      const int c = warp() + i * tile_warps;
      const double a = scratch.state[0][c][j], b = scratch.state[1][c][j];
      sum.of[i][0] = fma(a, here, fma(b, mirrored, sum.of[i][0]));
      sum.of[i][1] = fma(a, mirrored, fma(b, here, sum.of[i][1]));
    }
  }
}

/// Adds the near part: the sources of the chunk and of its two neighbours, one by one. `near`
/// points to the share at offset 0.
template <int tile_chunks>
__device__ void add_near_impacts(const TileSources<tile_chunks>& sources, const double* near,
                                 ThreadCells<tile_chunks>& sum) {
#pragma unroll
  for (int i = 0; i < ThreadCells<tile_chunks>::chunks; ++i) {
    const int c = warp() + i * tile_warps;
    for (int beside = -1; beside <= 1; ++beside) {
      const int row = c + 1 + beside;
      const double* const shares = near + beside * width;
#pragma unroll 4
      for (int s = 0; s < sources.count[row]; ++s) {
        const double* const from_source = shares + sources.cell[row][s];
        const double amount = sources.amount[row][s];
        sum.of[i][0] = fma(amount, from_source[-lane()], sum.of[i][0]);
        sum.of[i][1] = fma(amount, from_source[lane() - (width - 1)], sum.of[i][1]);
      }
    }
  }
}

/// The sums of one field in the thread's cells. All threads must call it; a barrier must come
/// between two calls.
template <int tile_chunks, SumsFrom from>
__device__ ThreadCells<tile_chunks> sums_of_tile(Scratch<tile_chunks>& scratch,
                                                 const TileStorm& storm, const Tiling& tiling,
                                                 Field of, const TileInLayer& tile) {
  const Tables& t = storm.tables;
  TileField field{t, tiling, of == of_energies ? storm.states : storm.uncertainty_states,
                  tile.number};
  double entering = field.load_entering(0);  // loaded before it is needed, like the next ones
  field.any_sources = collect_sources(storm.sources, of, tiling.first_seen(tile.number),
                                      tiling.chunks, scratch.sources);
  ThreadCells<tile_chunks> sum;
  ChunkPolynomials<tile_chunks> polynomials;
  for (int first = 0; first < t.terms; first += terms_at_once) {
    if constexpr (from == SumsFrom::polynomials) polynomials.load_terms(scratch, t, first);
    find_states(scratch, field, first, entering);
    entering = field.load_entering(first + terms_at_once);
    if constexpr (from == SumsFrom::polynomials) {
      polynomials.add(scratch, t, first);
    } else {
      add_exponentials(scratch, t, first, sum);
    }
    __syncthreads();
  }
  if constexpr (from == SumsFrom::polynomials) {
    polynomials.store(scratch);
    add_polynomials(scratch, sum);
  }
  if (field.any_sources) add_near_impacts(scratch.sources, t.near, sum);
  return sum;
}

}  // namespace bombard::cuda
