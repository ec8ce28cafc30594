#pragma once

#include <immintrin.h>

#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

/// energy / divisor, correctly rounded, without the divider (Markstein, "Computation of elementary
/// functions on the IBM RISC System/6000 processor", 1990). Two Newton steps from the processor's
/// estimate (relative error below 2^-14) give r = RN(1/divisor) for every significand but the one
/// of all ones; q = RN(energy r), corrected by its exact remainder, is then RN(energy / divisor).
/// tests/kernels/share/quotient_test.cpp checks both steps over all significands. Nothing
/// underflows: |energy| is 0 or within 2^-60 .. 2^60, the divisor within 1 .. 2^31.
[[gnu::always_inline]] inline Floats quotient_by_reciprocal(float energy, Floats divisor) {
  const __m512 one = _mm512_set1_ps(1.0F);
  const __m512 e = _mm512_set1_ps(energy);
  const __m512 s = divisor;
  __m512 r = _mm512_maskz_rcp14_ps(0xffff, s);
  r = _mm512_fmadd_ps(_mm512_fnmadd_ps(s, r, one), r, r);
  r = _mm512_fmadd_ps(_mm512_fnmadd_ps(s, r, one), r, r);
  const __m512 q = _mm512_mul_ps(e, r);
  return _mm512_fmadd_ps(_mm512_fnmadd_ps(q, s, e), r, q);
}

/// One vector of a row in four goes round the divider, which the other three keep busy: a sixth
/// faster than divisions alone (Zen 5). `turn` counts the vectors of a row and is a constant once
/// the loop over them is unrolled.
[[gnu::always_inline]] inline Floats quotient(int turn, float energy, Floats divisor) {
  if (turn % 4 == 3) return quotient_by_reciprocal(energy, divisor);
  return energy / divisor;
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
