#pragma once

// The near part of a tile's sums: the impacts that a block loads, and what they bring to the cells
// of their chunk and its neighbours (docs/methods.md, The fast layer).

#include <cstdint>

#include "kernels/convolution/cuda/far.cuh"
#include "kernels/convolution/cuda/matrix_fragment.cuh"
#include "kernels/convolution/cuda/moments.cuh"
#include "kernels/convolution/cuda/shape.cuh"

namespace bombard::cuda {

/// How many impacts a tile sees.
enum class Impacts { none, few, many };

/// Whether there are impacts; all threads take part, and know the masks then.
__device__ inline bool share_masks(std::uint64_t mask, std::uint64_t* shared) {
  if (threadIdx.x < seen_chunks) shared[threadIdx.x] = mask;
  return __syncthreads_or(mask != 0) != 0;
}

/// Loads the strengths of the seen chunks' impacts.
template <class Amount>
__device__ void load_strengths(const Scratch& scratch, const SourceArray<Amount>& sources,
                               std::int64_t first) {
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
}

/// Loads the impacts of the seen chunks, at least one, and the table of near attenuations. All
/// threads take part.
template <class Amount>
__device__ Impacts load_sources(const Scratch& scratch, const double* half_near,
                                const SourceArray<Amount>& sources, std::int64_t first,
                                std::uint64_t mask) {
  // With more impacts than this in a chunk, or in more chunks than that, the product takes no
  // longer than impacts one by one (measured on an H200: docs/journal.md).
  constexpr int few_in_a_chunk = 1;
  constexpr int few_full_chunks = seen_chunks / 2;
  load_strengths(scratch, sources, first);
  for (int i = threadIdx.x; i < near_size; i += tile_threads) scratch.half_near[i] = half_near[i];
  const int full = __syncthreads_count(__popcll(mask) > few_in_a_chunk);
  return full > few_full_chunks ? Impacts::many : Impacts::few;
}

/// Loads the impacts that the tile sees, their moments and the table for them into shared memory;
/// where there are none, the masks and moments of nothing. All threads take part.
template <class Amount>
__device__ Impacts load_impacts(const Scratch& scratch, const Terms& t,
                                const SourceArray<Amount>& sources, std::int64_t first_chunk,
                                std::uint64_t mask) {
  if (!share_masks(mask, scratch.mask)) {
    for (int i = threadIdx.x; i < 2 * seen_chunks * parity_coefficients; i += tile_threads) {
      scratch.moment[i] = 0;
    }
    __syncthreads();
    return Impacts::none;
  }
  const Impacts impacts = load_sources(scratch, t.half_near, sources, first_chunk, mask);
  const SixteenRows part;
  const double* const strength = scratch.strength + (part.first + Fragment().row) * pitch;
  const auto strengths = [&](int eight, int j) {
    return *reinterpret_cast<const double2*>(strength + 8 * eight * pitch + j);
  };
  chunk_moments<1>(t.powers, part.first, part.parity, strengths, scratch.moment);
  __syncthreads();
  return impacts;
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

}  // namespace bombard::cuda
