#pragma once

#include <immintrin.h>

#include "kernels/counting/counting.hpp"
#include "kernels/layer/vector_loops.hpp"

// kernels/counting/open_impacts.hpp with what AVX-512 has for it: an estimate of roots, masks, and
// stores of some lanes.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

using Mask = __mmask16;

/// A Newton step from the processor's estimate of n^(-1/2) (relative error below 2^-14) leaves 1.5
/// * 2^-28 and five roundings.
[[gnu::always_inline]] inline Floats nearly_shares(Floats energies, Indices distances) {
  const __m512 n = _mm512_maskz_cvtepi32_ps(0xffff, reinterpret_cast<__m512i>(distances));
  const __m512 y = _mm512_maskz_rsqrt14_ps(0xffff, n);
  const __m512 half = _mm512_mul_ps(_mm512_set1_ps(0.5F), n);
  const __m512 correction = _mm512_fnmadd_ps(_mm512_mul_ps(half, y), y, _mm512_set1_ps(1.5F));
  return _mm512_mul_ps(_mm512_mul_ps(energies, y), correction);
}

/// The nearest integers.
[[gnu::always_inline]] inline Floats rounded(Floats values) {
  return _mm512_maskz_roundscale_ps(0xffff, values, _MM_FROUND_TO_NEAREST_INT);
}
/// The larger of two magnitudes.
[[gnu::always_inline]] inline Floats larger_magnitude(Floats a, Floats b) {
  constexpr int of_magnitudes = 3, not_negative = 2 << 2;
  return _mm512_maskz_range_ps(0xffff, a, b, of_magnitudes | not_negative);
}

[[gnu::always_inline]] inline Mask less(Floats a, Floats b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
/// 0 <= values < bound
[[gnu::always_inline]] inline Mask within(Indices values, std::int32_t bound) {
  return _mm512_cmplt_epu32_mask(reinterpret_cast<__m512i>(values), _mm512_set1_epi32(bound));
}
[[gnu::always_inline]] inline Floats only(Mask mask, Floats values) {
  return _mm512_maskz_mov_ps(mask, values);
}

/// Copies the impacts i .. i + lanes - 1 of a list that are not counted behind the first `count` of
/// another list, which may be longer by a vector. Returns the new number of impacts there. `parity`
/// is the parity of the numbers counted so far, 0 or 1.
[[gnu::always_inline]] inline int append(Mask counted, Floats numbers, const OpenImpacts& from,
                                         int i, OpenImpacts& to, int count, unsigned& parity) {
  const __m512i integers = _mm512_maskz_cvtps_epi32(counted, numbers);
  // In each bit the parity of the numbers up to it; an open impact has the number 0.
  unsigned sums = _mm512_test_epi32_mask(integers, _mm512_set1_epi32(1));
  sums ^= sums << 1;
  sums ^= sums << 2;
  sums ^= sums << 4;
  sums ^= sums << 8;
  sums ^= 0 - parity;
  const auto before = static_cast<Mask>(sums);
  parity = sums >> 15 & 1;

  const __m512i parities = _mm512_loadu_si512(from.parities + i);
  const __m512i one = _mm512_castps_si512(_mm512_set1_ps(1));
  const __m512i flipped = _mm512_mask_xor_epi32(parities, before, parities, one);
  const Mask open = static_cast<Mask>(~counted);
  const auto put = [open](__m512i values, void* behind) {
    _mm512_storeu_si512(behind, _mm512_maskz_compress_epi32(open, values));
  };
  put(_mm512_loadu_si512(from.offsets + i), to.offsets + count);
  put(_mm512_loadu_si512(from.energies + i), to.energies + count);
  put(flipped, to.parities + count);
  return count + __builtin_popcount(open);
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
