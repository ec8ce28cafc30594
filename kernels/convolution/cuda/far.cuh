#pragma once

// The far part of a tile's sums, which a block computes: polynomials of its chunks from what enters
// the tile and what lies in it (docs/methods.md, The fast layer).

#include <algorithm>
#include <cstdint>

#include "kernels/convolution/cuda/matrix_fragment.cuh"
#include "kernels/convolution/cuda/moments.cuh"
#include "kernels/convolution/cuda/shape.cuh"

namespace bombard::cuda {

/// Between chunks in shared memory: with it pairs of a matrix fragment's rows lie in different
/// banks.
inline constexpr int pitch = width + 8;
inline constexpr int values_size = evaluated_chunks * pitch;

/// Shared memory of a block, in doubles.
struct Scratch {
  std::uint64_t* mask;  ///< [seen_chunks]
  double* moment;       ///< [parity][seen_chunks][parity_coefficients]: sum of strength * x^i
  double* polynomial;   ///< the same of the evaluated chunks; takes the place of the moments
  double* half_near;    ///< [near_size]
  double* right;        ///< [seen_chunks][terms]: first moments, then states
  double* left;
  double* strength;  ///< [seen_chunks][pitch]

  // When all sums are there, the memory serves again.
  double* value;        ///< [evaluated_chunks][pitch]
  double* uncertainty;  ///< the same

  /// For one field of sums, or two with the uncertainties.
  static constexpr std::int64_t size(int terms, int fields, Way way) {
    const int states = 2 * terms;
    const int both = way == Way::compact ? std::max(states, pitch) : states + pitch;
    return seen_chunks + std::max(seen_chunks * (2 * parity_coefficients + both) + near_size,
                                  fields * values_size);
  }
  __device__ Scratch(double* memory, int terms, Way way)
      : mask(reinterpret_cast<std::uint64_t*>(memory)),
        moment(memory + seen_chunks),
        polynomial(moment),
        half_near(moment + 2 * seen_chunks * parity_coefficients),
        right(half_near + near_size),
        left(right + seen_chunks * terms),
        strength(way == Way::compact ? right : left + seen_chunks * terms),
        value(moment),
        uncertainty(value + values_size) {}
};

/// The moments of all seen chunks and terms, in shared memory.
template <class Amount>
__device__ void exponential_moments(const Scratch& scratch, const Terms& t,
                                    const SourceArray<Amount>& sources, std::int64_t first) {
  const Fragment at;
  const bool at_end = t.at_end(first);
  for (int term_block = static_cast<int>(threadIdx.x) / 32; 8 * term_block < t.terms;
       term_block += tile_warps) {
    const int term = 8 * term_block + at.column;
#pragma unroll 1  // registers are scarce
    for (int row = at.row; row < seen_chunks; row += 16) {
      const MomentFragment moment[2] = {{scratch.moment, row}, {scratch.moment, row + 8}};
      double2 right[2];
      double2 left[2];
      exponential_moments(t.shape, moment, term_block, right, left);
      if (term >= t.terms) continue;
#pragma unroll
      for (int eight = 0; eight < 2; ++eight) {
        const int own = row + 8 * eight;
        if (at_end) add_outside(t, sources, first - 2 + own, term, right[eight], left[eight]);
        *reinterpret_cast<double2*>(scratch.right + own * t.terms + term) = right[eight];
        *reinterpret_cast<double2*>(scratch.left + own * t.terms + term) = left[eight];
      }
    }
  }
}

/// The data that a tile waits for first, so they are asked for before all else: the mask of the
/// thread's seen chunk, and what enters the tile, of the thread's first side and term.
struct Ahead {
  std::uint64_t mask;
  double state;

  __device__ Ahead(const Terms& t, const std::uint64_t* masks, const States& states,
                   std::int64_t tile)
      : mask(mask_of_chunk(masks, tile * tile_chunks, t.chunks, static_cast<int>(threadIdx.x))),
        state(static_cast<int>(threadIdx.x) < 2 * t.terms
                  ? states.of_tiles[tile * 2 * t.terms + threadIdx.x]
                  : 0) {}
};

/// States at the evaluated chunks: those that enter the tile pass over its chunks, in place of the
/// moments, if there are any. `right` of evaluated chunk k is at row k then, `left` at row k + 2.
__device__ inline void pass_states(const Scratch& scratch, const Terms& t, const States& states,
                                   std::int64_t tile, const Ahead& ahead, bool any = true) {
  for (int item = threadIdx.x; item < 2 * t.terms; item += tile_threads) {
    double state = item < tile_threads ? ahead.state : states.of_tiles[tile * 2 * t.terms + item];
    const int term = item % t.terms;
    const bool to_right = item < t.terms;
    const double decay = t.decay[t.terms + term];
    double* here =
        to_right ? scratch.right + term : scratch.left + (seen_chunks - 1) * t.terms + term;
    const int step = to_right ? t.terms : -t.terms;
#pragma unroll 2
    for (int c = 0; c < evaluated_chunks; ++c, here += step) {
      const double added = any ? *here : 0;
      *here = state;
      state = fma(state, decay, added);
    }
  }
}

/// Polynomials of the evaluated chunks, [parity][seen_chunks][parity_coefficients]: even powers
/// from the sum of the states from both sides, odd ones from their difference.
__device__ inline void polynomials(const Scratch& scratch, const Terms& t) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Fragment at;
  const SixteenRows part;
  const double sign = part.parity == even ? 1 : -1;
  const int row = part.first + at.row;
  const int rows[2] = {row, min(row + 8, evaluated_chunks - 1)};
  const auto both = [&](int eight, int term) {
    const int chunk = rows[eight];
    return fma(sign, scratch.left[(chunk + 2) * t.terms + term],
               scratch.right[chunk * t.terms + term]);
  };
  const double2* const target = t.target + part.parity * 32 + lane;
  double sum[2][2] = {};
  const int eights = t.terms / 8;
#pragma unroll 3
  for (int eighth = 0; eighth < eights; ++eighth) {
    const int term = 8 * eighth + at.inner;
    const double2 power = target[2 * eighth * 32];
    multiply_add({both(0, term), both(0, term + 4)}, {both(1, term), both(1, term + 4)},
                 {power.x, power.y}, sum[0], sum[1]);
  }
  const double power = target[2 * eights * 32].x;
#pragma unroll
  for (int eight = 0; eight < 2; ++eight) {  // four terms are left
    multiply_add(both(eight, 8 * eights + at.inner), power, sum[eight]);
  }
  store(sum, part.first, part.parity, scratch.polynomial);
}

/// The polynomials of the far part: impacts, if the tile has any, and what lies outside the layer
/// add to the states on their way through the tile. The impacts' moments are there
/// (load_impacts()).
template <class Amount>
__device__ void far_polynomials(const Scratch& scratch, const Terms& t,
                                const SourceArray<Amount>& sources, const States& states,
                                std::int64_t tile, const Ahead& ahead, bool any_impacts) {
  const bool any = any_impacts || t.at_end(tile * tile_chunks);
  if (any) {
    exponential_moments(scratch, t, sources, tile * tile_chunks);
    __syncthreads();
  }
  pass_states(scratch, t, states, tile, ahead, any);
  __syncthreads();
  polynomials(scratch, t);
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
      if ((block > 0 && block < row_blocks - 1) || own || beside) use(block, mirrored, row, first);
    }
  }
}

/// The parts of a sum that are even and odd about the middle of a chunk: in rows 8 block + row two
/// columns each.
struct Parts {
  double of[row_blocks][2][2];  // [block][parity][i]

  /// Adds the product of all rows with eight inner ones to a part.
  __device__ void multiply_add(const double (&a)[row_blocks][2], const double (&b)[2], int part) {
#pragma unroll
    for (int block = 0; block < row_blocks; block += 2) {
      cuda::multiply_add(a[block], a[block + 1], b, of[block][part], of[block + 1][part]);
    }
  }

  __device__ OfCells cells() const {
    OfCells cells;
#pragma unroll
    for (int block = 0; block < row_blocks; ++block) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        cells.of[block][0][i] = of[block][even][i] + of[block][odd][i];
        cells.of[block][1][1 - i] = of[block][even][i] - of[block][odd][i];
      }
    }
    return cells;
  }
};

/// The values of the polynomials in the thread's cells.
__device__ inline Parts values_of(const double* polynomial, const Terms& t) {
  static_assert(tile_warps * 8 == half_width);
  const Fragment at;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  Parts sum{};
#pragma unroll
  for (const Parity parity : {even, odd}) {
    const double2 power = t.cells[(2 * warp + parity) * 32 + lane];
    double a[row_blocks][2];
#pragma unroll
    for (int block = 0; block < row_blocks; ++block) {
      const int row = parity * seen_chunks + 8 * block + at.row;
      a[block][0] = polynomial[row * parity_coefficients + at.inner];
      a[block][1] = polynomial[row * parity_coefficients + 4 + at.inner];
    }
    sum.multiply_add(a, {power.x, power.y}, parity);
  }
  return sum;
}

}  // namespace bombard::cuda
