#pragma once

// The sums of the sources of chunks: moments about the middle of each, and from them what they add
// to the states of the exponentials (docs/methods.md, The fast layer). Nothing here is the rule's
// arithmetic: how sums are rounded is within the proven error, so products and sums are fused.

#include <cstdint>

#include "kernels/convolution/cuda/matrix_fragment.cuh"
#include "kernels/convolution/cuda/shape.cuh"

namespace bombard::cuda {

/// The mask of seen chunk `row`, of those first - 2 .. first + tile_chunks + 1; 0 where there is
/// none.
__device__ inline std::uint64_t mask_of_chunk(const std::uint64_t* masks, std::int64_t first,
                                              std::int64_t chunks, int row) {
  const std::int64_t chunk = first - 2 + row;
  return row < seen_chunks && chunk >= 0 && chunk < chunks ? masks[chunk] : 0;
}

/// Two neighbouring amounts, by one load if one of their bits in `hit` is set.
template <class Amount>
struct alignas(2 * sizeof(Amount)) TwoAmounts {
  Amount first, second;

  __device__ static TwoAmounts load(const Amount* amount, unsigned hit) {
    TwoAmounts two{};
    if (hit != 0) two = *reinterpret_cast<const TwoAmounts*>(amount);
    return two;
  }
  /// The strengths whose bits are set; the others are 0.
  __device__ double2 strengths(unsigned hit) const {
    return {(hit & 1) != 0 ? static_cast<double>(first) : 0.0,
            (hit & 2) != 0 ? static_cast<double>(second) : 0.0};
  }
};

/// Writes the coefficients of one parity of sixteen rows, [parity][row][coefficient].
__device__ inline void store(const double (&sum)[2][2], int first, int parity,
                             double* coefficient) {
  const Fragment at;
#pragma unroll
  for (int eight = 0; eight < 2; ++eight) {
    const int row = first + 8 * eight + at.row;
    double* const to = coefficient + (parity * seen_chunks + row) * parity_coefficients + at.column;
    *reinterpret_cast<double2*>(to) = {sum[eight][0], sum[eight][1]};
  }
}

/// The part that a warp takes of a tile's polynomials in x, or of its moments: sixteen rows, one
/// parity.
struct SixteenRows {
  int first, parity;

  __device__ SixteenRows()
      : first(static_cast<int>(threadIdx.x) / 64 * 16),
        parity(static_cast<int>(threadIdx.x) / 32 % 2) {}
};
static_assert(seen_chunks == 32 && tile_warps == 4);

/// moment[c][i] = sum over the cells j of chunk c of strength * x_j^i: the cells j and 63 - j,
/// where x differs in its sign only, are added for even powers and subtracted for odd ones. A warp
/// takes sixteen chunks, `first` and those behind it, and `parities` parities from `parity` on;
/// strengths(eight, j) are the cells j and j + 1, j even, of the lane's chunk of the first eight or
/// of the others.
template <int parities, class Strengths>
__device__ void chunk_moments(const double2* powers, int first, int parity,
                              const Strengths& strengths, double* moment) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Fragment at;
  double sum[parities][2][2] = {};
#pragma unroll
  for (int eighth = 0; eighth < half_width / 8; ++eighth) {
    const int j = 8 * eighth + 2 * at.inner;
    double2 here[2];
    double2 mirrored[2];
#pragma unroll
    for (int eight = 0; eight < 2; ++eight) {
      here[eight] = strengths(eight, j);
      mirrored[eight] = strengths(eight, width - 2 - j);
    }
#pragma unroll
    for (int p = 0; p < parities; ++p) {
      const double sign = parity + p == even ? 1 : -1;
      double a[2][2];
#pragma unroll
      for (int eight = 0; eight < 2; ++eight) {
        a[eight][0] = fma(sign, mirrored[eight].y, here[eight].x);
        a[eight][1] = fma(sign, mirrored[eight].x, here[eight].y);
      }
      const double2 power = powers[(2 * eighth + parity + p) * 32 + lane];
      multiply_add(a[0], a[1], {power.x, power.y}, sum[p][0], sum[p][1]);
    }
  }
#pragma unroll
  for (int p = 0; p < parities; ++p) store(sum[p], first, parity + p, moment);
}

/// A chunk's moments as matrix fragments have them, [parity][half of the powers].
struct MomentFragment {
  double of[2][2];

  __device__ MomentFragment(const double* moment, int row) {
    const Fragment at;
#pragma unroll
    for (const Parity parity : {even, odd}) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        of[parity][half] =
            moment[(parity * seen_chunks + row) * parity_coefficients + 4 * half + at.inner];
      }
    }
  }
};
static_assert(parity_coefficients == 8);

/// The sums that chunks add to the states of two terms, 8 term_block + at.column on, from their
/// moments: to those on their way to the right sum of strength * exp(32 a x), to those on their way
/// to the left sum of strength * exp(-32 a x). A warp takes eight and eight more chunks.
__device__ inline void exponential_moments(const double2* shape, const MomentFragment (&moment)[2],
                                           int term_block, double2 (&right)[2],
                                           double2 (&left)[2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  double sum[2][2][2] = {};  // [parity][eight][i]
#pragma unroll
  for (const Parity parity : {even, odd}) {
    const double2 power = shape[(2 * term_block + parity) * 32 + lane];
    multiply_add(moment[0].of[parity], moment[1].of[parity], {power.x, power.y}, sum[parity][0],
                 sum[parity][1]);
  }
#pragma unroll
  for (int eight = 0; eight < 2; ++eight) {
    const double(&of_even)[2] = sum[even][eight];
    const double(&of_odd)[2] = sum[odd][eight];
    right[eight] = {of_even[0] - of_odd[0], of_even[1] - of_odd[1]};
    left[eight] = {of_even[0] + of_odd[0], of_even[1] + of_odd[1]};
  }
}

/// Impacts outside the layer are in the chunks beside it: in place of what these chunks add to two
/// terms.
template <class Amount>
__device__ void add_outside(const Terms& t, const SourceArray<Amount>& sources, std::int64_t chunk,
                            int term, double2& right, double2& left) {
  const double* const outside = sources.outside + term;
  if (chunk == -1) right = {outside[0], outside[1]};
  if (chunk == t.chunks) left = {outside[t.terms], outside[t.terms + 1]};
}

}  // namespace bombard::cuda
