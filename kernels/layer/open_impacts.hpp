#pragma once

#include <cmath>

#include "kernels/layer/counting.hpp"
#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

/// energies / sqrt(distances), off by less than 2^-20 of it.
[[gnu::always_inline]] inline Floats nearly_shares(Floats energies, Floats distances) {
  float roots[lanes];
  store(roots, distances);
// Unrolled it would not become vectors.
#pragma GCC unroll 1
  for (int i = 0; i < lanes; ++i) roots[i] = std::sqrt(roots[i]);
  return energies / load(roots);
}

/// Impacts i .. i + lanes - 1 of a list whose flags are -1 go behind the first `count` of another
/// one. Returns how many that one has then.
[[gnu::always_inline]] inline int append(Indices flags, const OpenImpacts& from, int i,
                                         Floats units_before, OpenImpacts& to, int count) {
  for (int k = 0; k < lanes; ++k) {
    to.offsets[count] = from.offsets[i + k];
    to.energies[count] = from.energies[i + k];
    to.numbers[count] = from.numbers[i + k];
    to.units_before[count] = units_before[k];
    count += flags[k] != 0;
  }
  return count;
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
