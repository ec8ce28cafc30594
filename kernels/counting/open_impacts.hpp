#pragma once

#include <cmath>

#include "kernels/counting/counting.hpp"
#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

using Mask = Indices;

/// energies / sqrt(distances), off by less than 6 * 2^-24 of it.
[[gnu::always_inline]] inline Floats nearly_shares(Floats energies, Indices distances) {
  float roots[lanes];
// Unrolled it would not become vectors.
#pragma GCC unroll 1
  for (int i = 0; i < lanes; ++i) roots[i] = std::sqrt(static_cast<float>(distances[i]));
  return energies / load(roots);
}

/// The nearest integers, where they are less than 2^22; others are off.
[[gnu::always_inline]] inline Floats rounded(Floats values) {
  const Floats shift = 0x1.8p23F + Floats{};
  return (values + shift) - shift;
}
/// The larger of two magnitudes.
[[gnu::always_inline]] inline Floats larger_magnitude(Floats a, Floats b) {
  const Floats first = a < 0 ? -a : a, second = b < 0 ? -b : b;
  return first > second ? first : second;
}

[[gnu::always_inline]] inline Mask less(Floats a, Floats b) {
  return a < b;
}
/// 0 <= values < bound
[[gnu::always_inline]] inline Mask within(Indices values, std::int32_t bound) {
  return (values >= 0) & (values < bound);
}
[[gnu::always_inline]] inline Floats only(Mask mask, Floats values) {
  return mask ? values : Floats{};
}

/// Copies the impacts i .. i + lanes - 1 of a list that are not counted behind the first `count` of
/// another list, which may be longer by a vector. Returns the new number of impacts there. `parity`
/// is the parity of the numbers counted so far, 0 or 1.
[[gnu::always_inline]] inline int append(Mask counted, Floats numbers, const OpenImpacts& from,
                                         int i, OpenImpacts& to, int count, unsigned& parity) {
  for (int k = 0; k < lanes; ++k) {
    const bool odd_before = parity != 0;
    to.offsets[count] = from.offsets[i + k];
    to.energies[count] = from.energies[i + k];
    to.parities[count] = odd_before ? 1 - from.parities[i + k] : from.parities[i + k];
    count += counted[k] == 0;
    parity ^= counted[k] != 0 ? static_cast<unsigned>(static_cast<int>(numbers[k])) & 1 : 0;
  }
  return count;
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
