#pragma once

#include <immintrin.h>

#include "kernels/layer/counting.hpp"
#include "kernels/layer/vector_loops.hpp"

// kernels/layer/open_impacts.hpp with what AVX-512 has for it: an estimate of roots, and stores of
// some lanes.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

/// A Newton step from the processor's estimate of n^(-1/2) (relative error below 2^-14) leaves 1.5
/// * 2^-28 and three roundings: of the step's correction, of the result, and of the product.
[[gnu::always_inline]] inline Floats nearly_shares(Floats energies, Floats distances) {
  const __m512 n = distances;
  const __m512 y = _mm512_maskz_rsqrt14_ps(0xffff, n);
  const __m512 half = _mm512_mul_ps(_mm512_set1_ps(0.5F), y);
  const __m512 correction = _mm512_fnmadd_ps(_mm512_mul_ps(n, y), y, _mm512_set1_ps(1.0F));
  return _mm512_mul_ps(energies, _mm512_fmadd_ps(half, correction, y));
}

[[gnu::always_inline]] inline int append(Indices flags, const OpenImpacts& from, int i,
                                         Floats units_before, OpenImpacts& to, int count) {
  const __mmask16 open = _mm512_movepi32_mask(reinterpret_cast<__m512i>(flags));
  const auto put = [open](const float* values, float* behind) {
    _mm512_storeu_ps(behind, _mm512_maskz_compress_ps(open, _mm512_loadu_ps(values)));
  };
  put(from.offsets + i, to.offsets + count);
  put(from.energies + i, to.energies + count);
  _mm512_storeu_ps(to.units_before + count, _mm512_maskz_compress_ps(open, units_before));
  _mm512_storeu_si512(to.numbers + count,
                      _mm512_maskz_compress_epi32(open, _mm512_loadu_si512(from.numbers + i)));
  return count + __builtin_popcount(open);
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
