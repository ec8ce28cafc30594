#pragma once

#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "kernels/base/vector.hpp"
#include "kernels/counting/counting.hpp"

namespace bombard::cpu::counting {

// Wider registers hardly speed up counting (docs/journal.md, Counting).
inline constexpr int bytes = vector_bytes < 32 ? vector_bytes : 32;
inline constexpr int lanes = bytes / sizeof(float);
using Floats = Vector<float, bytes>;
using Indices = Vector<std::int32_t, bytes>;

[[gnu::always_inline]] inline Floats load(const float* from) {
  return *reinterpret_cast<const Floats*>(from);
}
[[gnu::always_inline]] inline void store(float* to, Floats values) {
  *reinterpret_cast<Floats*>(to) = values;
}

// Three steps, with AVX2 and in plain C++:
// - first_reciprocal_roots(): 1 / sqrt(n) with a relative error below 2^-9.
// - signs(): a mask with a bit set for each lane that is below 0.
// - copy_open(): copies those of the impacts i .. i + lanes - 1 of a list that have a bit set in
//   `open`, and puts them after the first `count` of another list, which must have room for one
//   vector more. A bit set in `odd` flips the last bit of an impact's place.
#ifdef __AVX2__

[[gnu::always_inline]] inline Floats first_reciprocal_roots(Floats n) {
  return _mm256_rsqrt_ps(n);
}

[[gnu::always_inline]] inline unsigned signs(Indices values) {
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(values)));
}

/// For each set of lanes, its lanes in order.
constexpr struct LanesOfSets {
  std::uint8_t of[256][8] = {};
  constexpr LanesOfSets() {
    for (int set = 0; set < 256; ++set) {
      for (std::uint8_t lane = 0, next = 0; lane < 8; ++lane) {
        if ((set >> lane & 1) != 0) of[set][next++] = lane;
      }
    }
  }
} lanes_of_sets;

[[gnu::always_inline]] inline void copy_open(unsigned open, unsigned odd, const OpenImpacts& from,
                                             int i, OpenImpacts& to, int count) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i order = _mm256_cvtepu8_epi32(_mm_loadu_si64(lanes_of_sets.of[open]));
  const __m256i odds = _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(odd)), lane);
  const __m256i flipped = _mm256_xor_si256(
      reinterpret_cast<__m256i>(*reinterpret_cast<const Indices*>(from.places + i)),
      _mm256_and_si256(odds, _mm256_set1_epi32(1)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to.places + count),
                      _mm256_permutevar8x32_epi32(flipped, order));
  _mm256_storeu_ps(to.energies + count,
                   _mm256_permutevar8x32_ps(_mm256_loadu_ps(from.energies + i), order));
}

#else

// The difference of integers halves the exponent, and one Newton step follows. Source: Lomont,
// "Fast inverse square root" (2003).
[[gnu::always_inline]] inline Floats first_reciprocal_roots(Floats n) {
  const Floats y = reinterpret_cast<Floats>(0x5f3759df - (reinterpret_cast<Indices>(n) >> 1));
  return y * (1.5F - 0.5F * n * y * y);
}

[[gnu::always_inline]] inline unsigned signs(Indices values) {
  unsigned bits = 0;
  for (int k = 0; k < lanes; ++k) bits |= (values[k] < 0 ? 1U : 0U) << k;
  return bits;
}

[[gnu::always_inline]] inline void copy_open(unsigned open, unsigned odd, const OpenImpacts& from,
                                             int i, OpenImpacts& to, int count) {
  for (int k = 0; k < lanes; ++k) {
    to.places[count] = from.places[i + k] ^ static_cast<std::int32_t>(odd >> k & 1);
    to.energies[count] = from.energies[i + k];
    count += static_cast<int>(open >> k & 1);
  }
}

#endif

}  // namespace bombard::cpu::counting
