#pragma once

#include <immintrin.h>

#include "kernels/layer/shares.hpp"

// Bounds on shares of square roots without the divider, and append() of
// kernels/layer/share_bounds.hpp by the instructions that choose lanes.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

/// n^(-1/2), off by less than 2^-22 of it: a Newton step from the processor's estimate (relative
/// error below 2^-14) leaves 1.5 * 2^-28 and two roundings, those of the step's correction and of
/// the result.
[[gnu::always_inline]] inline __m512 reciprocal_root(__m512 n) {
  const __m512 y = _mm512_maskz_rsqrt14_ps(0xffff, n);
  const __m512 ny = _mm512_mul_ps(n, y);
  const __m512 half = _mm512_mul_ps(_mm512_set1_ps(0.5F), y);
  return _mm512_fmadd_ps(half, _mm512_fnmadd_ps(ny, y, _mm512_set1_ps(1.0F)), y);
}

/// Of 16 integers in two registers.
[[gnu::always_inline]] inline __m512 to_floats(__m512i lower, __m512i upper) {
  const __m512 low = _mm512_castps256_ps512(_mm512_maskz_cvtepi64_ps(0xff, lower));
  return _mm512_maskz_insertf32x8(0xffff, low, _mm512_maskz_cvtepi64_ps(0xff, upper), 1);
}

/// From the nearest of some cells, n away, to the farthest, which is at most `wide` = last - first
/// farther: (n + wide)^(-1/2) >= n^(-1/2) (1 - wide / 2n). Of the share in the nearest cell, in
/// units of 2^-24: n as a float, reciprocal_root() and the product make 3.1; wide / 2n is off
/// by 7.2 of its own at most, and counts up to 1; the rule's share by 2.5, for the distance is a
/// float there, too; two roundings are left. All this is less than 2^-20.
[[gnu::always_inline]] inline ShareBounds share_bounds(const UpdateWork<SquareRootLaw>& work,
                                                       const std::int64_t* positions,
                                                       const float* energies,
                                                       const CellRange& cells) {
  const std::int64_t first = cells.begin, last = cells.end - 1;
  const __m512i one = _mm512_set1_epi64(1);
  __m512i nearest[2];
  for (int half = 0; half < 2; ++half) {
    const __m512i position = _mm512_loadu_si512(positions + 8 * half);
    const __m512i before = _mm512_sub_epi64(_mm512_set1_epi64(first + 1), position);
    const __m512i behind = _mm512_sub_epi64(position, _mm512_set1_epi64(last - 1));
    nearest[half] = _mm512_maskz_max_epi64(0xff, _mm512_maskz_max_epi64(0xff, before, behind), one);
  }
  const __m512 root = reciprocal_root(to_floats(nearest[0], nearest[1]));
  const __m512 share = _mm512_mul_ps(_mm512_loadu_ps(energies), root);
  const __m512 half_of_wide = _mm512_set1_ps(0.5F * static_cast<float>(last - first));
  const __m512 farther = _mm512_mul_ps(_mm512_mul_ps(root, root), half_of_wide);
  const __m512 highest = _mm512_mul_ps(share, _mm512_set1_ps(1 + 0x1p-20F));
  const __m512 lowest =
      _mm512_fnmadd_ps(share, farther, _mm512_mul_ps(share, _mm512_set1_ps(1 - 0x1p-20F)));
  const __m512 smallest = _mm512_set1_ps(work.smallest);
  return {_mm512_maskz_mov_ps(_mm512_cmp_ps_mask(highest, smallest, _CMP_GE_OQ), highest),
          _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(lowest, smallest, _CMP_GE_OQ), lowest)};
}

[[gnu::always_inline]] inline int append(Indices flags, const std::int64_t* positions,
                                         const float* energies, std::int64_t* listed_positions,
                                         float* listed_energies, int count) {
  const __mmask16 chosen = _mm512_movepi32_mask(reinterpret_cast<__m512i>(flags));
  const auto lower = static_cast<__mmask8>(chosen);
  const auto upper = static_cast<__mmask8>(chosen >> 8);
  std::int64_t* const to = listed_positions + count;
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(lower, _mm512_loadu_si512(positions)));
  _mm512_storeu_si512(to + __builtin_popcount(lower),
                      _mm512_maskz_compress_epi64(upper, _mm512_loadu_si512(positions + 8)));
  _mm512_storeu_ps(listed_energies + count,
                   _mm512_maskz_compress_ps(chosen, _mm512_loadu_ps(energies)));
  return count + __builtin_popcount(chosen);
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
