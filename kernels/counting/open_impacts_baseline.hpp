#pragma once

#include "kernels/counting/counting.hpp"
#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

/// 1 / sqrt(n) with a relative error below 2^-9. The difference of integers halves the exponent,
/// and one Newton step follows. Source: Lomont, "Fast inverse square root" (2003).
[[gnu::always_inline]] inline Floats first_reciprocal_roots(Floats n) {
  const Floats y = reinterpret_cast<Floats>(0x5f3759df - (reinterpret_cast<Indices>(n) >> 1));
  return y * (1.5F - 0.5F * n * y * y);
}

/// A mask with a bit set for each lane that is below 0.
[[gnu::always_inline]] inline unsigned signs(Indices values) {
  unsigned bits = 0;
  for (int k = 0; k < lanes; ++k) bits |= (values[k] < 0 ? 1U : 0U) << k;
  return bits;
}

/// Copies those of the impacts i .. i + lanes - 1 of a list that have a bit set in `open`, and puts
/// them after the first `count` of another list, which must have room for one vector more. A bit
/// set in `odd` flips the last bit of an impact's place.
[[gnu::always_inline]] inline void copy_open(unsigned open, unsigned odd, const OpenImpacts& from,
                                             int i, OpenImpacts& to, int count) {
  for (int k = 0; k < lanes; ++k) {
    to.places[count] = from.places[i + k] ^ static_cast<std::int32_t>(odd >> k & 1);
    to.energies[count] = from.energies[i + k];
    count += static_cast<int>(open >> k & 1);
  }
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
