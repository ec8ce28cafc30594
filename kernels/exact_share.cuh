#pragma once

#include "kernels/attenuation.hpp"

namespace bombard::cuda {

/// e / divisor(n) to the last bit, on the device: the compiler's IEEE operations serve any law.
template <class Law>
struct ExactShare {
  __device__ static float of(float energy, float n) { return energy / Law::divisor(n); }
};

/// RN(sqrt(n)) and RN(1 / root) from one approximate reciprocal root and FMA residuals, for n in
/// [1, 2^64). The residual n - s^2 is exact, so one Newton step rounds as the exact root does;
/// likewise for the reciprocal. Proved over every n in tests/kernels/exact_share_gpu_test.cu, not
/// by argument.
struct RootAndReciprocal {
  float root, reciprocal;

  __device__ explicit RootAndReciprocal(float n) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(n));
    const float s = n * y;
    root = __fmaf_rn(__fmaf_rn(-s, s, n), 0.5F * y, s);
    reciprocal = __fmaf_rn(__fmaf_rn(-root, y, 1.0F), y, y);
  }
};

/// RN(a / b) from r, 1/b to within rounding: Markstein, "Computation of elementary functions on the
/// IBM RISC System/6000 processor" (1990). Holds while neither a * r nor the residual underflows.
__device__ inline float quotient(float a, float b, float r) {
  const float q = a * r;
  return __fmaf_rn(__fmaf_rn(-q, b, a), r, q);
}

template <>
struct ExactShare<SquareRootLaw> {
  __device__ static float of(float energy, float n) {
    const RootAndReciprocal s(n);
    return quotient(energy, s.root, s.reciprocal);
  }
};

/// RN(a / 3). The quick way holds for every normal a whose third and residual are normal too
/// (proved over every float in tests/kernels/exact_share_gpu_test.cu).
__device__ inline float third(float a) {
  constexpr float smallest_quick = 0x1p-100F;
  return fabsf(a) > smallest_quick ? quotient(a, 3.0F, 1.0F / 3.0F) : a / 3.0F;
}

}  // namespace bombard::cuda
