#pragma once

#include <immintrin.h>

#include "kernels/counting/counting.hpp"
#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

// As in kernels/counting/open_impacts.hpp. The processor's estimate is off by less than 2^-14.
[[gnu::always_inline]] inline Floats first_reciprocal_roots(Floats n) {
  return _mm512_maskz_rsqrt14_ps(0xffff, n);
}

[[gnu::always_inline]] inline unsigned signs(Indices values) {
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(values));
}

[[gnu::always_inline]] inline void copy_open(unsigned open, unsigned odd, const OpenImpacts& from,
                                             int i, OpenImpacts& to, int count) {
  const auto set = static_cast<__mmask16>(open), flips = static_cast<__mmask16>(odd);
  const __m512i places = _mm512_loadu_si512(from.places + i);
  const __m512i flipped = _mm512_mask_xor_epi32(places, flips, places, _mm512_set1_epi32(1));
  const __m512i energies = _mm512_loadu_si512(from.energies + i);
  _mm512_storeu_si512(to.places + count, _mm512_maskz_compress_epi32(set, flipped));
  _mm512_storeu_si512(to.energies + count, _mm512_maskz_compress_epi32(set, energies));
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
