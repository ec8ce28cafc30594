#pragma once

#include "kernels/counting/counting.hpp"
#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

/// 1 / sqrt(n), off by less than 2^-9 of it. The difference of integers halves the exponent, and
/// one of Newton's steps follows. Source: Lomont, "Fast inverse square root" (2003).
[[gnu::always_inline]] inline Floats first_reciprocal_roots(Floats n) {
  const Floats y = reinterpret_cast<Floats>(0x5f3759df - (reinterpret_cast<Indices>(n) >> 1));
  return y * (1.5F - 0.5F * n * y * y);
}

/// Copies those of the impacts i .. i + lanes - 1 of a list that are open, where `off` is not less
/// than `bound`, behind the first `count` of another list, which may be longer by a vector. Returns
/// the new number of impacts there. `numbers` are counted of the impacts, 0 of open ones; `parity`
/// is the parity of all numbers so far.
[[gnu::always_inline]] inline int append(Floats off, float bound, Floats numbers,
                                         const OpenImpacts& from, int i, OpenImpacts& to, int count,
                                         unsigned& parity) {
  for (int k = 0; k < lanes; ++k) {
    to.places[count] = from.places[i + k] ^ static_cast<std::int32_t>(parity);
    to.energies[count] = from.energies[i + k];
    count += !(off[k] < bound);
    parity ^= static_cast<unsigned>(static_cast<int>(numbers[k])) & 1;
  }
  return count;
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
