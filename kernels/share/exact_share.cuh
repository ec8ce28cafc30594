#pragma once

#include <cstdint>

#include "kernels/share/attenuation.hpp"

namespace bombard::cuda {

/// Shares e / divisor(n), exact to the last bit, several at a time so that their latencies overlap.
/// For any law the compiler's IEEE operations are enough.
template <class Law>
struct ExactShare {
  template <int count>
  __device__ static void of(const Law& law, const float (&energy)[count], const float (&n)[count],
                            float (&share)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) share[i] = energy[i] / law.divisor(n[i]);
  }

  /// Whether of() holds for every distance in lowest .. highest.
  __device__ static bool holds(std::int64_t /*lowest*/, std::int64_t /*highest*/) {
    return true;
  }
};

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

/// One approximate reciprocal root and ten rounded operations for each share.
template <>
struct ExactShare<SquareRootLaw> {
  template <int count>
  __device__ static void of(SquareRootLaw, const float (&energy)[count], const float (&n)[count],
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

  /// Newton's step misrounds the reciprocal of one significand, all ones, and with it some
  /// quotients. The roots of the two floats below 4^k have it; integers meet it from 2^24 - 2 on.
  __device__ static bool holds(std::int64_t lowest, std::int64_t highest) {
    const int bits = max(24, 64 - __clzll(lowest - 1));
    const std::int64_t power_of_4 = std::int64_t{1}
                                    << (bits + bits % 2);  // the first from `lowest` on
    return highest < power_of_4 - (power_of_4 >> 22);
  }
};

__device__ inline float approximate_reciprocal(float b) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(b));
  return y;
}

/// The conditions under which quotient() with the reciprocal of b is RN(a / b), for several a and
/// b >= 1. The significand of b must not be all ones, the only one whose reciprocal Newton's step
/// misrounds (tests/kernels/share/exact_share_gpu_test.cu tries all others, with every numerator
/// that could go wrong), and no operation may underflow.
struct QuotientsHold {
  float smallest = INFINITY, largest_divisor = 1;
  bool all_ones = false;

  __device__ void add(float divisor, float quotient) {
    smallest = fminf(smallest, fabsf(quotient));
    largest_divisor = fmaxf(largest_divisor, divisor);
    all_ones |= ((__float_as_uint(divisor) + 1) & ((1U << 23) - 1)) == 0;
  }
  __device__ explicit operator bool() const {
    return smallest >= 0x1p-100F && largest_divisor <= 0x1p100F && !all_ones;
  }
};

/// A product of n and its roots, and one approximate reciprocal: the compiler's own division
/// branches for each share, so that none overlaps with another. Here one test covers all of them.
template <>
struct ExactShare<GeneralLaw> {
  template <int count>
  __device__ static void of(const GeneralLaw& law, const float (&energy)[count],
                            const float (&n)[count], float (&share)[count]) {
    float divisor[count];
    divisors(law, n, divisor);
    QuotientsHold hold;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float r = reciprocal(divisor[i], approximate_reciprocal(divisor[i]));
      share[i] = quotient(energy[i], divisor[i], r);
      hold.add(divisor[i], share[i]);
    }
    if (hold) return;
#pragma unroll
    for (int i = 0; i < count; ++i) share[i] = energy[i] / divisor[i];
  }

  __device__ static bool holds(std::int64_t /*lowest*/, std::int64_t highest) {
    return highest < (std::int64_t{1} << 62);  // root()
  }

 private:
  /// As GeneralLaw::divisor().
  template <int count>
  __device__ static void divisors(const GeneralLaw& law, const float (&n)[count],
                                  float (&divisor)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) divisor[i] = law.quarters < 4 ? 1 : n[i];
    for (int quarters = 8; quarters <= law.quarters; quarters += 4) {
#pragma unroll
      for (int i = 0; i < count; ++i) divisor[i] *= n[i];
    }
    if (law.quarters % 4 == 0) return;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float s = root(n[i], approximate_reciprocal_root(n[i]));
      if ((law.quarters & 2) != 0) divisor[i] *= s;
      if ((law.quarters & 1) != 0) divisor[i] *= root(s, approximate_reciprocal_root(s));
    }
  }
};

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
