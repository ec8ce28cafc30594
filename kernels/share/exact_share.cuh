#pragma once

#include <cstdint>

namespace bombard::cuda {

__device__ inline float approximate_reciprocal_root(float n) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(n));
  return y;
}

/// RN(sqrt(n)) for n in [1, 2^62), from y close to 1/sqrt(n): the residual n - s^2 is exact, so one
/// Newton step rounds as the exact root does. This is proved not by an argument but by trying every
/// n in tests/kernels/share/exact_share_gpu_test.cu.
__device__ inline float root(float n, float y) {
  const float s = n * y;
  return __fmaf_rn(__fmaf_rn(-s, s, n), 0.5F * y, s);
}

/// 1 / s, correct to within rounding, from y close to it by one Newton step.
__device__ inline float reciprocal(float s, float y) {
  return __fmaf_rn(__fmaf_rn(-s, y, 1.0F), y, y);
}

/// a / b from r close to 1 / b. It is RN(a / b) if r is the correctly rounded 1 / b, and nearly
/// always if r is less exact: Markstein, "Computation of elementary functions on the IBM RISC
/// System/6000 processor" (1990). Neither a * r nor the residual may underflow.
__device__ inline float quotient(float a, float b, float r) {
  const float q = a * r;
  return __fmaf_rn(__fmaf_rn(-q, b, a), r, q);
}

/// The shares e / sqrt(n), exact to the last bit, several at a time so that their latencies
/// overlap: one approximate reciprocal root and nine rounded operations for each.
template <int count>
__device__ void exact_shares(const float (&energy)[count], const float (&n)[count],
                             float (&share)[count]) {
  float y[count];
  float s[count];
  float r[count];
#pragma unroll
  for (int i = 0; i < count; ++i) y[i] = approximate_reciprocal_root(n[i]);
#pragma unroll
  for (int i = 0; i < count; ++i) s[i] = root(n[i], y[i]);
#pragma unroll
  for (int i = 0; i < count; ++i) r[i] = reciprocal(s[i], y[i]);
#pragma unroll
  for (int i = 0; i < count; ++i) share[i] = quotient(energy[i], s[i], r[i]);
}

/// Whether exact_shares() are exact for every distance in lowest .. highest. Newton's step
/// misrounds the reciprocal of one significand, all ones, and with it some quotients. The roots of
/// the two floats below 4^k have it; integers meet it from 2^24 - 2 on.
__device__ inline bool exact_shares_hold(std::int64_t lowest, std::int64_t highest) {
  const int bits = max(24, 64 - __clzll(lowest - 1));
  const std::int64_t power_of_4 = std::int64_t{1}
                                  << (bits + bits % 2);  // the first from `lowest` on
  return highest < power_of_4 - (power_of_4 >> 22);
}

/// a[i] = RN(a[i] / 3). The fast way holds while the third and the residual are normal floats
/// (tests/kernels/share/exact_share_gpu_test.cu tries every float); one test covers all of them.
/// Sums in a layer that began near the largest float may be infinite.
template <int count>
__device__ void thirds(float (&a)[count]) {
  constexpr float smallest_quick = 0x1p-100F, largest_quick = 0x1p127F;
  float quick[count];
  float smallest = fabsf(a[0]), largest = smallest;
#pragma unroll
  for (int i = 0; i < count; ++i) {
    quick[i] = quotient(a[i], 3.0F, 1.0F / 3.0F);
    smallest = fminf(smallest, fabsf(a[i]));
    largest = fmaxf(largest, fabsf(a[i]));
  }
  if (smallest <= smallest_quick || largest > largest_quick) {
#pragma unroll
    for (int i = 0; i < count; ++i) quick[i] = a[i] / 3.0F;
  }
#pragma unroll
  for (int i = 0; i < count; ++i) a[i] = quick[i];
}

}  // namespace bombard::cuda
