#pragma once

// The sums of a tile in its cells: the far part from polynomials, the near one from each impact
// (docs/methods.md, The convolution).

#include <cstdint>

#include "kernels/convolution/cuda/end_states.cuh"
#include "kernels/convolution/cuda/far.cuh"
#include "kernels/convolution/cuda/matrix_fragment.cuh"
#include "kernels/convolution/cuda/moments.cuh"
#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/convolution/cuda/source_ends.cuh"
#include "kernels/convolution/cuda/states.cuh"

namespace bombard::cuda {

/// How many impacts a tile sees.
enum class Impacts { none, few, many };

/// Whether there are impacts; all threads take part, and know the masks then.
__device__ inline bool share_masks(std::uint64_t mask, std::uint64_t* shared) {
  if (threadIdx.x < seen_chunks) shared[threadIdx.x] = mask;
  return __syncthreads_or(mask != 0) != 0;
}

/// Loads the impacts of the seen chunks, of which there are some. All threads take part.
template <class Amount>
__device__ Impacts load_sources(const Scratch& scratch, const SourceArray<Amount>& sources,
                                std::int64_t first, std::uint64_t mask) {
  // From so many impacts on, in so many chunks, the product takes no longer than they do one by one
  // (measured on an H200: docs/journal.md).
  constexpr int few_in_a_chunk = 1;
  constexpr int few_full_chunks = seen_chunks / 2;
  constexpr int rows_at_once = 2 * tile_threads / width;
  constexpr int steps = seen_chunks / rows_at_once;
  const int column = static_cast<int>(threadIdx.x) % half_width * 2;
  const int first_row = static_cast<int>(threadIdx.x) / half_width;
  unsigned hit[steps];
  const Amount* amount[steps];
  TwoAmounts<Amount> amounts[steps];
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    const int row = first_row + step * rows_at_once;
    hit[step] = static_cast<unsigned>(scratch.mask[row] >> column & 3);
    amount[step] = hit[step] != 0 ? sources.of_chunk(first - 2 + row) + column : nullptr;
  }
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    amounts[step] = TwoAmounts<Amount>::load(amount[step], hit[step]);
  }
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    const int row = first_row + step * rows_at_once;
    *reinterpret_cast<double2*>(scratch.strength + row * pitch + column) =
        amounts[step].strengths(hit[step]);
  }
  const int full = __syncthreads_count(__popcll(mask) > few_in_a_chunk);
  return full > few_full_chunks ? Impacts::many : Impacts::few;
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

  /// Adds the product of all rows with eight inner ones.
  __device__ void multiply_add(const double (&a)[row_blocks][2], const double (&b)[2],
                               Parity parity) {
#pragma unroll
    for (int block = 0; block < row_blocks; block += 2) {
      cuda::multiply_add(a[block], a[block + 1], b, of[block][parity], of[block + 1][parity]);
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

/// The table of near attenuations on its way to shared memory: read while the impacts are, written
/// behind them.
class NearTableCopy {
 public:
  __device__ explicit NearTableCopy(const double* half_near) {
#pragma unroll
    for (int i = 0; i < of_thread; ++i) number_[i] = half_near[threadIdx.x + i * tile_threads];
  }
  __device__ void write(double* shared) const {
#pragma unroll
    for (int i = 0; i < of_thread; ++i) shared[threadIdx.x + i * tile_threads] = number_[i];
  }

 private:
  static constexpr int of_thread = near_size / tile_threads;
  static_assert(near_size % tile_threads == 0);
  double number_[of_thread];
};

/// Loads the impacts that the tile sees, their moments and the table for them into shared memory;
/// where there are none, nothing but the masks. All threads take part.
template <class Amount>
__device__ Impacts load_impacts(const Scratch& scratch, const Terms& t,
                                const SourceArray<Amount>& sources, std::int64_t first_chunk,
                                std::uint64_t mask) {
  if (!share_masks(mask, scratch.mask)) return Impacts::none;
  const NearTableCopy half_near(t.half_near);
  const Impacts impacts = load_sources(scratch, sources, first_chunk, mask);
  const SixteenRows part;
  const double* const strength = scratch.strength + (part.first + Fragment().row) * pitch;
  const auto strengths = [&](int eight, int j) {
    return *reinterpret_cast<const double2*>(strength + 8 * eight * pitch + j);
  };
  chunk_moments<1>(t.powers, part.first, part.parity, strengths, scratch.moment);
  half_near.write(scratch.half_near);
  __syncthreads();
  return impacts;
}

/// Whether any source ends where the tile sees it.
__device__ inline bool any_leaves(const EndLists& ends, std::int64_t first_chunk) {
  return LeavingInTile(ends, first_chunk).count() > 0;
}
__device__ inline bool any_leaves(const NoEnds&, std::int64_t) {
  return false;
}

/// The polynomials of the far part where impacts, or what lies outside the layer, add to the states
/// on their way through the tile, or sources that end leave them.
template <class Amount, class Ends>
__device__ void polynomials_with_sources(const Scratch& scratch, const Terms& t,
                                         const SourceArray<Amount>& sources, const States& states,
                                         std::int64_t tile, const Ahead& ahead, Impacts impacts,
                                         const Ends& ends) {
  if (impacts == Impacts::none) {
    for (int i = threadIdx.x; i < 2 * seen_chunks * parity_coefficients; i += tile_threads) {
      scratch.moment[i] = 0;
    }
    __syncthreads();
  }
  exponential_moments(scratch, t, sources, tile * tile_chunks);
  __syncthreads();
  if constexpr (Ends::any) {
    remove_in_tile<Amount, RemovalFromTerm>(scratch, t, ends, states,
                                            LeavingInTile(ends, tile * tile_chunks));
  }
  pass_states(scratch, t, states, tile, ahead);
  __syncthreads();
  polynomials(scratch, t);
}

// The near part: cell j of evaluated chunk k meets the impacts of the chunk and its neighbours at
// p = 0 .. 3 width - 1, counted from the first of those three chunks, at the distance
// j + width - p, and half_near[2 width + distance] is half the attenuation there. The thread's
// place and its warp's number are given: found out anew they cost registers that apply_kernel does
// not have.

/// Adds the near part of many impacts as a product of matrices: of all cells, set or not. The
/// strengths at p and at its mirror image 3 width - 1 - p are added, and the attenuations from
/// both, for the even part, and subtracted for the odd one.
__device__ inline void add_many_near_impacts(const Scratch& scratch, const Fragment& at, int warp,
                                             Parts& sum) {
  const double* const near = scratch.half_near + 3 * width + 8 * warp + at.row - 2 * at.inner;
  const double* const mirrored_near = near + 4 * at.inner - (3 * width - 1);
  const double* strength[row_blocks];
#pragma unroll
  for (int block = 0; block < row_blocks; ++block) {
    strength[block] = scratch.strength + min(8 * block + at.row, evaluated_chunks - 1) * pitch;
  }
#pragma unroll
  for (int step = 0; step < 3 * half_width / 4; step += 2) {
    const int chunk = 4 * step / width;
    const int j = 4 * step % width + 2 * at.inner;
    const double first[2] = {near[-4 * step], near[-4 * step - 1]};
    const double last[2] = {mirrored_near[4 * step], mirrored_near[4 * step + 1]};
    double of_even[row_blocks][2];
    double of_odd[row_blocks][2];
#pragma unroll
    for (int block = 0; block < row_blocks; ++block) {
      const auto one = *reinterpret_cast<const double2*>(strength[block] + chunk * pitch + j);
      const auto other =
          *reinterpret_cast<const double2*>(strength[block] + (2 - chunk) * pitch + width - 2 - j);
      of_even[block][0] = one.x + other.y;
      of_even[block][1] = one.y + other.x;
      of_odd[block][0] = one.x - other.y;
      of_odd[block][1] = one.y - other.x;
    }
    sum.multiply_add(of_even, {first[0] + last[0], first[1] + last[1]}, even);
    sum.multiply_add(of_odd, {first[0] - last[0], first[1] - last[1]}, odd);
  }
}

/// Adds the near part of few impacts one by one.
__device__ inline void add_few_near_impacts(const Scratch& scratch, const Fragment& at, int warp,
                                            OfCells& cells) {
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

/// The sums of one field, energies or uncertainties, in the thread's cells: the far part of a quiet
/// tile, or of one with impacts, and the near part of few impacts or of many. What ends is left to
/// add_end_shares() in the chunk of its end.
template <class Amount, class Ends>
__device__ OfCells evaluate(const Scratch& scratch, const Terms& t,
                            const SourceArray<Amount>& sources, const States& states,
                            std::int64_t tile, const Ahead& ahead, const Ends& ends) {
  const std::int64_t first_chunk = tile * tile_chunks;
  const Impacts impacts = load_impacts(scratch, t, sources, first_chunk, ahead.mask);
  if (impacts == Impacts::none && !t.at_end(first_chunk) && !any_leaves(ends, first_chunk)) {
    quiet_polynomials(t, states, tile, ahead, scratch.right, scratch.polynomial);
  } else {
    polynomials_with_sources(scratch, t, sources, states, tile, ahead, impacts, ends);
  }
  __syncthreads();

  Parts sum = values_of(scratch.polynomial, t);
  const Fragment at;
  const int warp = static_cast<int>(threadIdx.x) / 32;

  if (impacts == Impacts::many) add_many_near_impacts(scratch, at, warp, sum);
  OfCells cells = sum.cells();
  if (impacts == Impacts::few) add_few_near_impacts(scratch, at, warp, cells);
  return cells;
}

}  // namespace bombard::cuda
