#pragma once

#include <immintrin.h>

#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

/// As in kernels/layer/quotient.hpp, for 0 and energies from 2^-60 to 2^60 and for divisors from 1
/// to 2^31 whose significand is not all ones. One vector in three goes round the divider, which the
/// others keep busy (docs/journal.md, On two processors). Two Newton steps from the estimate, which
/// is off by less than 2^-14, give r = RN(1 / divisor); q = RN(energy r), corrected by its exact
/// remainder, is RN(energy / divisor): Markstein, "Computation of elementary functions on the IBM
/// RISC System/6000 processor" (1990); tests/kernels/layer/quotient_test.cpp proves both.
[[gnu::always_inline]] inline Floats quotient(int turn, float energy, Floats divisor) {
  if (turn % 3 != 2) return energy / divisor;
  const __m512 e = _mm512_set1_ps(energy), one = _mm512_set1_ps(1);
  __m512 r = _mm512_maskz_rcp14_ps(0xffff, divisor);
  r = _mm512_fmadd_ps(_mm512_fnmadd_ps(divisor, r, one), r, r);
  r = _mm512_fmadd_ps(_mm512_fnmadd_ps(divisor, r, one), r, r);
  const __m512 q = _mm512_mul_ps(e, r);
  return _mm512_fmadd_ps(_mm512_fnmadd_ps(q, divisor, e), r, q);
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
