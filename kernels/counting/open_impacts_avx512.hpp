#pragma once

#include <immintrin.h>

#include "kernels/counting/counting.hpp"
#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

// As in kernels/counting/open_impacts.hpp.

/// The processor's estimate, off by less than 2^-14.
[[gnu::always_inline]] inline Floats first_reciprocal_roots(Floats n) {
  return _mm512_maskz_rsqrt14_ps(0xffff, n);
}

[[gnu::always_inline]] inline int append(Floats off, float bound, Floats numbers,
                                         const OpenImpacts& from, int i, OpenImpacts& to, int count,
                                         unsigned& parity) {
  const __m512i one = _mm512_set1_epi32(1);
  // In each bit the parity of the numbers up to it.
  unsigned sums = _mm512_test_epi32_mask(_mm512_maskz_cvtps_epi32(0xffff, numbers), one);
  for (int bits = 1; bits < lanes; bits *= 2) sums ^= sums << bits;
  sums ^= 0 - parity;
  parity = sums >> (lanes - 1) & 1;

  const __mmask16 open = _mm512_cmp_ps_mask(off, _mm512_set1_ps(bound), _CMP_NLT_UQ);
  const __m512i places = _mm512_loadu_si512(from.places + i);
  const __m512i flipped = _mm512_mask_xor_epi32(places, static_cast<__mmask16>(sums), places, one);
  const __m512i energies = _mm512_loadu_si512(from.energies + i);
  _mm512_storeu_si512(to.places + count, _mm512_maskz_compress_epi32(open, flipped));
  _mm512_storeu_si512(to.energies + count, _mm512_maskz_compress_epi32(open, energies));
  return count + __builtin_popcount(open);
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
