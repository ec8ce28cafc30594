#pragma once

// A tile of the convolution, which a block takes (docs/methods.md, The convolution). Nothing here
// is the rule's arithmetic: how sums are rounded is within the proven error, so products and sums
// are fused.

#include <cstddef>
#include <cstdint>

#include "kernels/convolution_tables.hpp"
#include "kernels/matrix_fragment.cuh"

namespace bombard::cuda {

inline constexpr int width = static_cast<int>(chunk_cells);
inline constexpr int half_width = width / 2;
/// Chunks that a tile evaluates: its own and, for two cells each, their neighbours; and those whose
/// impacts it needs, two on either side of its own. As many rows as three matrix fragments have.
inline constexpr int seen_chunks = 24;
inline constexpr int evaluated_chunks = seen_chunks - 2;
inline constexpr int tile_chunks = seen_chunks - 4;
inline constexpr int tile_cells = tile_chunks * width;
inline constexpr int halo = 2;
inline constexpr int row_blocks = seen_chunks / 8;
inline constexpr int tile_threads = 128;
inline constexpr int tile_warps = tile_threads / 32;
/// Polynomials in x have this many even and as many odd coefficients, the last ones 0 for a lower
/// degree.
inline constexpr int coefficients = 8;
/// The layer begins behind one empty chunk and ends before another: what lies outside them is far.
inline constexpr std::int64_t first_cell = chunk_cells;

/// Even or odd powers of x.
enum Parity { even, odd };

/// x of cell j < 32 of its chunk, between -1 and 0; that of cell 63 - j is -x.
constexpr double position_in_chunk(int j) {
  return (j - (half_width - 0.5)) / half_width;
}

/// A sum of energies, or of uncertainties, in each cell whose bit is set.
template <class Amount>
struct SourceArray {
  const std::uint64_t* mask;  ///< a word a chunk
  const Amount* amount;
  /// What lies outside, as moments of one chunk more on either side, [side][term].
  const double* outside;
};

/// How many matrix fragments the tables below have, which follow one another in memory.
struct Fragments {
  int powers, shape, target, cells;

  explicit Fragments(int terms)
      : powers(half_width / 4 * 2),
        shape((terms + 7) / 8 * 4),
        target(terms / 4 * 2),
        cells(half_width / 8 * 4) {}
};

/// Tables of one convolution. The number of `terms` of the exponential sum, filled up with terms of
/// weight 0, leaves 4 when divided by 8: then the rows of [..][terms] lie well in shared memory.
/// Tables of matrix fragments hold 32 numbers a fragment, one a lane.
struct Terms {
  int terms;
  std::int64_t chunks, tiles;
  const double* decay;  ///< exp(-a chunk_cells)
  const double*
      powers;           ///< fragments [j / 4][parity]: rows cells j < 32 of a chunk, columns powers
  const double* shape;  ///< [term / 8][power / 4][parity]: rows powers, columns terms;
                        ///< exp(-32 a x) as a polynomial in x
  const double* target;  ///< [term / 4][parity]: rows terms, columns powers; the same times
                         ///< scale w exp(-a (2 chunk_cells + 1))
  const double* cells;   ///< [j / 8][power / 4][parity]: rows powers, columns cells j < 32
  /// half_near[2 chunk_cells + d] = scale/2 * (|d| + 1)^-power for |d| < 2 chunk_cells
  const double* half_near;
};

inline constexpr int near_size = 4 * width;

/// Between chunks in shared memory: rows of a matrix fragment then lie in different banks.
inline constexpr int pitch = width + 4;
inline constexpr int values_size = evaluated_chunks * pitch;

/// Shared memory of a block, in doubles.
struct Scratch {
  double* strength;  ///< [seen_chunks][pitch]
  double* right;     ///< [seen_chunks][terms]: first moments, then states
  double* left;
  double* moment;      ///< [parity][seen_chunks][coefficients]: sum of strength * x^i
  double* polynomial;  ///< the same of the evaluated chunks; takes the place of the moments
  double* half_near;   ///< [near_size]
  std::uint64_t* mask;

  // When all sums are there, the memory serves again.
  double* value;        ///< [evaluated_chunks][pitch]
  double* uncertainty;  ///< the same
  double* relaxed;      ///< of cell i of the tile, from -1 on

  __host__ __device__ static constexpr std::int64_t size(int terms) {
    const std::int64_t tables = 2 * seen_chunks * (std::int64_t{terms} + coefficients) + near_size;
    return seen_chunks * (pitch + 1) + (tables > 2 * values_size ? tables : 2 * values_size);
  }
  __device__ Scratch(double* memory, int terms)
      : strength(memory + seen_chunks),
        right(strength + seen_chunks * pitch),
        left(right + seen_chunks * terms),
        moment(left + seen_chunks * terms),
        polynomial(moment),
        half_near(moment + 2 * seen_chunks * coefficients),
        mask(reinterpret_cast<std::uint64_t*>(memory)),
        value(right),
        uncertainty(value + values_size),
        relaxed(strength + 1) {}
};
static_assert(tile_cells + 2 <= seen_chunks * pitch);

/// How many impacts a tile sees.
enum class Impacts { none, few, many };

/// Loads the impacts of the seen chunks, first - 2 .. first + tile_chunks + 1. All threads take
/// part; their memory is complete after the next barrier.
template <class Amount>
__device__ Impacts load_sources(const Scratch& scratch, const SourceArray<Amount>& sources,
                                std::int64_t first, std::int64_t chunks) {
  constexpr int few_in_a_chunk = 1;
  std::uint64_t mask = 0;
  if (threadIdx.x < seen_chunks) {
    const std::int64_t chunk = first - 2 + threadIdx.x;
    if (chunk >= 0 && chunk < chunks) mask = sources.mask[chunk];
    scratch.mask[threadIdx.x] = mask;
  }
  if (__syncthreads_or(mask != 0) == 0) return Impacts::none;
#pragma unroll
  for (int i = threadIdx.x; i < seen_chunks * width; i += tile_threads) {
    const bool hit = (scratch.mask[i / width] >> (i % width) & 1) != 0;
    scratch.strength[i / width * pitch + i % width] =
        hit ? static_cast<double>(sources.amount[(first - 2) * width + i]) : 0.0;
  }
  const int full = __syncthreads_count(__popcll(mask) > few_in_a_chunk);
  return full > seen_chunks / 2 ? Impacts::many : Impacts::few;
}

/// Writes the even and odd coefficients of the rows of a block, [parity][row][coefficient].
__device__ inline void store(const double (&sum)[2][2], int row, int column, double* coefficient) {
#pragma unroll
  for (const Parity parity : {even, odd}) {
    double* const to = coefficient + (parity * seen_chunks + row) * coefficients + column;
    *reinterpret_cast<double2*>(to) = {sum[parity][0], sum[parity][1]};
  }
}

/// moment[c][i] = sum over the cells j of chunk c of strength * x_j^i: the cells j and 63 - j,
/// where x differs in its sign only, are added for even powers and subtracted for odd ones.
__device__ inline void chunk_moments(const Scratch& scratch, const double* powers) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Fragment at;
  for (int block = static_cast<int>(threadIdx.x) / 32; block < row_blocks; block += tile_warps) {
    const int row = 8 * block + at.row;
    const double* const strength = scratch.strength + row * pitch;
    double moment[2][2] = {};
#pragma unroll
    for (int step = 0; step < half_width / 4; ++step) {
      const int j = 4 * step + at.inner;
      const double here = strength[j];
      const double mirrored = strength[width - 1 - j];
      multiply_add(here + mirrored, powers[(2 * step + even) * 32 + lane], moment[even]);
      multiply_add(here - mirrored, powers[(2 * step + odd) * 32 + lane], moment[odd]);
    }
    store(moment, row, at.column, scratch.moment);
  }
}

/// What every seen chunk adds to the states, from its moments: to those on their way to the right
/// sum of strength * exp(32 a x), to those on their way to the left sum of strength * exp(-32 a x).
/// Without impacts there are no moments, only what lies outside.
__device__ inline void exponential_moments(const Scratch& scratch, const Terms& t,
                                           const double* outside, std::int64_t first, bool hit) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Fragment at;
  const int term_blocks = (t.terms + 7) / 8;
  for (int task = static_cast<int>(threadIdx.x) / 32; task < row_blocks * term_blocks;
       task += tile_warps) {
    const int row = 8 * (task % row_blocks) + at.row;
    const int term_block = task / row_blocks;
    double sum[2][2] = {};
    if (hit) {
#pragma unroll
      for (int step = 0; step < coefficients / 4; ++step) {
#pragma unroll
        for (const Parity parity : {even, odd}) {
          multiply_add(
              scratch.moment[(parity * seen_chunks + row) * coefficients + 4 * step + at.inner],
              t.shape[((term_block * 2 + step) * 2 + parity) * 32 + lane], sum[parity]);
        }
      }
    }
    const std::int64_t chunk = first - 2 + row;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int term = 8 * term_block + at.column + i;
      if (term >= t.terms) continue;
      scratch.right[row * t.terms + term] =
          chunk == -1 ? outside[term] : sum[even][i] - sum[odd][i];
      scratch.left[row * t.terms + term] =
          chunk == t.chunks ? outside[t.terms + term] : sum[even][i] + sum[odd][i];
    }
  }
}

/// The moments of a tile's surroundings; complete after the next barrier. They are only there if
/// `any`: with an impact, or where something outside may lie next to the tile.
template <class Amount>
__device__ Impacts surroundings(const Scratch& scratch, const Terms& t,
                                const SourceArray<Amount>& sources, std::int64_t first, bool& any) {
  const Impacts impacts = load_sources(scratch, sources, first, t.chunks);
  const bool at_end = first == 0 || first + tile_chunks + 1 >= t.chunks;
  any = impacts != Impacts::none || at_end;
  if (!any) return impacts;
  __syncthreads();
  if (impacts != Impacts::none) chunk_moments(scratch, t.powers);
  __syncthreads();
  exponential_moments(scratch, t, sources.outside, first, impacts != Impacts::none);
  return impacts;
}

/// The state that enters a tile for the thread's side and term, [side][term], and the term's decay.
struct EnteringState {
  double state, decay;

  __device__ EnteringState(const Terms& t, const double* states, int item)
      : state(item < 2 * t.terms ? states[item] : 0.0),
        decay(item < 2 * t.terms ? t.decay[item % t.terms] : 0.0) {}
};

/// States at the evaluated chunks: those that enter the tile pass over its chunks, in place of the
/// moments. `right` of evaluated chunk k is at row k then, `left` at row k + 2. `entering` is that
/// of the thread's first side and term, asked for early.
__device__ inline void pass_states(const Scratch& scratch, const Terms& t, bool any,
                                   const double* states, EnteringState entering) {
  for (int item = threadIdx.x; item < 2 * t.terms; item += tile_threads) {
    if (item >= tile_threads) entering = EnteringState(t, states, item);
    const int term = item % t.terms;
    const bool to_right = item < t.terms;
    double state = entering.state;
    double* here =
        to_right ? scratch.right + term : scratch.left + (seen_chunks - 1) * t.terms + term;
    const int step = to_right ? t.terms : -t.terms;
#pragma unroll 2
    for (int c = 0; c < evaluated_chunks; ++c, here += step) {
      const double added = any ? *here : 0.0;
      *here = state;
      state = fma(state, entering.decay, added);
    }
  }
}

/// Polynomials of the evaluated chunks: even powers from the sum of both states, odd ones from
/// their difference.
__device__ inline void polynomials(const Scratch& scratch, const Terms& t) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Fragment at;
  for (int block = static_cast<int>(threadIdx.x) / 32; block < row_blocks; block += tile_warps) {
    const int row = 8 * block + at.row;
    const int state_row = min(row, evaluated_chunks - 1);
    const double* const right = scratch.right + state_row * t.terms + at.inner;
    const double* const left = scratch.left + (state_row + 2) * t.terms + at.inner;
    double sum[2][2] = {};
#pragma unroll 5
    for (int step = 0; step < t.terms / 4; ++step) {
      const double from_right = right[4 * step];
      const double from_left = left[4 * step];
      multiply_add(from_right + from_left, t.target[(2 * step + even) * 32 + lane], sum[even]);
      multiply_add(from_right - from_left, t.target[(2 * step + odd) * 32 + lane], sum[odd]);
    }
    store(sum, row, at.column, scratch.polynomial);
  }
}

/// A number for each of a thread's cells: in rows 8 block + row of the evaluated chunks two cells
/// from column 8 warp + column on, and two mirrored at the middle of the chunk; both pairs in the
/// order of the cells.
struct OfCells {
  double of[row_blocks][2][2];  // [block][mirrored][cell]
};

/// Calls use(numbers' block, mirrored, row, column) for the thread's pairs of cells that the tile
/// needs: of the chunks beside its own only the two next to it.
template <class Use>
__device__ void for_each_pair(const Use& use) {
  const Fragment at;
  const int column = static_cast<int>(threadIdx.x) / 32 * 8 + at.column;
#pragma unroll
  for (int block = 0; block < row_blocks; ++block) {
    const int row = 8 * block + at.row;
#pragma unroll
    for (int mirrored = 0; mirrored < 2; ++mirrored) {
      const int first = mirrored ? width - 2 - column : column;
      const bool own = row > 0 && row < evaluated_chunks - 1;
      const bool beside =
          (row == 0 && first == width - halo) || (row == evaluated_chunks - 1 && first == 0);
      if (block == 1 || own || beside) use(block, mirrored, row, first);
    }
  }
}

/// The sums of one field in the thread's cells. Cell j of evaluated chunk k meets the impacts of
/// the chunk and its neighbours at p = 0 .. 3 width - 1, counted from the first of those chunks,
/// whose distance is j + width - p.
template <class Amount>
__device__ OfCells evaluate(const Scratch& scratch, const Terms& t,
                            const SourceArray<Amount>& sources, const double* states) {
  static_assert(tile_warps * 8 == half_width);
  states += std::int64_t{blockIdx.x} * 2 * t.terms;
  const EnteringState entering(t, states, static_cast<int>(threadIdx.x));
  bool any = false;
  const Impacts impacts =
      surroundings(scratch, t, sources, std::int64_t{blockIdx.x} * tile_chunks, any);
  __syncthreads();
  pass_states(scratch, t, any, states, entering);
  __syncthreads();
  polynomials(scratch, t);
  __syncthreads();

  const Fragment at;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  double sum[row_blocks][2][2] = {};  // [block][parity][i]: even and odd parts about the middle
#pragma unroll
  for (int step = 0; step < coefficients / 4; ++step) {
#pragma unroll
    for (const Parity parity : {even, odd}) {
      const double power = t.cells[((warp * 2 + step) * 2 + parity) * 32 + lane];
#pragma unroll
      for (int block = 0; block < row_blocks; ++block) {
        const int row = parity * seen_chunks + 8 * block + at.row;
        multiply_add(scratch.polynomial[row * coefficients + 4 * step + at.inner], power,
                     sum[block][parity]);
      }
    }
  }
  if (impacts == Impacts::many) {
    // All impacts, set or not. Those at p and 3 width - 1 - p are added, and the attenuation from
    // both, for the even part, and subtracted for the odd one.
    const double* const near = scratch.half_near + 3 * width + 8 * warp + at.row;
#pragma unroll 4
    for (int step = 0; step < 3 * half_width / 4; ++step) {
      const int p = 4 * step + at.inner;
      const double first = near[-p];
      const double last = near[p - (3 * width - 1)];
      const int offset = 4 * step / width * pitch + p % width;
      const int last_offset = (2 - 4 * step / width) * pitch + width - 1 - p % width;
#pragma unroll
      for (int block = 0; block < row_blocks; ++block) {
        const double* const strength =
            scratch.strength + min(8 * block + at.row, evaluated_chunks - 1) * pitch;
        const double one = strength[offset];
        const double other = strength[last_offset];
        multiply_add(one + other, first + last, sum[block][even]);
        multiply_add(one - other, first - last, sum[block][odd]);
      }
    }
  }
  OfCells cells;
#pragma unroll
  for (int block = 0; block < row_blocks; ++block) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      cells.of[block][0][i] = sum[block][even][i] + sum[block][odd][i];
      cells.of[block][1][1 - i] = sum[block][even][i] - sum[block][odd][i];
    }
  }
  if (impacts == Impacts::few) {
    const double* const near[2] = {scratch.half_near + 3 * width + 8 * warp + at.column,
                                   scratch.half_near + 4 * width - 2 - 8 * warp - at.column};
#pragma unroll
    for (int block = 0; block < row_blocks; ++block) {
      const int first = min(8 * block + at.row, evaluated_chunks - 1);
      for (int row = 0; row < 3; ++row) {
        for (std::uint64_t mask = scratch.mask[first + row]; mask != 0; mask &= mask - 1) {
          const int j = __ffsll(static_cast<long long>(mask)) - 1;
          const int p = row * width + j;
          const double twice = 2 * scratch.strength[(first + row) * pitch + j];
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            cells.of[block][0][i] = fma(twice, near[0][i - p], cells.of[block][0][i]);
            cells.of[block][1][i] = fma(twice, near[1][i - p], cells.of[block][1][i]);
          }
        }
      }
    }
  }
  return cells;
}

}  // namespace bombard::cuda
