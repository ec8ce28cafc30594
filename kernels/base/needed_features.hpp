#pragma once

namespace bombard::cpu {

/// Features of an x86-64 CPU beyond what every one has, one bit each.
enum Feature : unsigned {
  sse4_2 = 1U << 0,
  popcnt = 1U << 1,
  avx = 1U << 2,
  avx2 = 1U << 3,
  fma = 1U << 4,
  bmi = 1U << 5,
  bmi2 = 1U << 6,
  avx512f = 1U << 7,
  avx512bw = 1U << 8,
  avx512cd = 1U << 9,
  avx512dq = 1U << 10,
  avx512vl = 1U << 11,
  avx512vbmi = 1U << 12,
  avx512vbmi2 = 1U << 13,
  avx512vnni = 1U << 14,
  avx512vpopcntdq = 1U << 15,
};

/// Those that the compiler was allowed to use (BOMBARD_SIMD in CMakeLists.txt).
extern const unsigned needed_features;

}  // namespace bombard::cpu
