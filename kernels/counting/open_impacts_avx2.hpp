#pragma once

#include <immintrin.h>

#include "kernels/counting/counting.hpp"
#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

// The same as kernels/counting/open_impacts_baseline.hpp. The CPU's estimate has a relative error
// below 2^-11.
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

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
