#pragma once

#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace bombard::tests {

/// x with odd * x = 1 modulo 2^32: Newton's iteration doubles the number of right bits, at first 5.
BOMBARD_HOST_DEVICE inline unsigned inverse_modulo_2_32(unsigned odd) {
  unsigned x = (3 * odd) ^ 2;
  for (int i = 0; i < 3; ++i) x *= 2 - odd * x;
  return x;
}

/// Calls visit(a) for the numerators 1 <= a < 2 whose quotient by `divisor` lies within |c| <=
/// closest of the midpoint of two neighbouring floats, in units of 2^-24 / B half ulps, where B is
/// the divisor's 24-bit significand. Let A be the numerator's significand: A 2^k = B m + c, where m
/// is odd with 25 bits, and k = 24 for A >= B and 25 otherwise. B m = -c modulo 2^k determines m
/// modulo 2^(k - twos), where twos is the number of factors 2 in B. A quotient computed by
/// q = RN(a r), RN(q + RN(a - q b) r) is off by at most |q - a/b| (|1 - b r| + 2^-24) before its
/// last rounding, and is misrounded only if that reaches the midpoint.
template <class Visit>
BOMBARD_HOST_DEVICE void visit_hard_numerators(float divisor, int closest, Visit visit) {
  constexpr unsigned one = 0x3f800000;
  const std::uint64_t b = (__builtin_bit_cast(unsigned, divisor) & 0x7fffff) | 0x800000;
  int twos = 0;
  while ((b >> twos & 1) == 0) ++twos;
  if (closest >> twos == 0) return;  // c is a multiple of 2^twos
  const unsigned odd_inverse = inverse_modulo_2_32(static_cast<unsigned>(b >> twos));
  for (int step = -(closest >> twos); step <= closest >> twos; ++step) {
    if (step == 0) continue;  // a tie is impossible
    const std::int64_t c = std::int64_t{step} * (1 << twos);
    for (int k = 24; k <= 25; ++k) {
      const unsigned period = 1U << (k - twos);
      for (unsigned m = (static_cast<unsigned>(-step) * odd_inverse) & (period - 1); m < (1U << 25);
           m += period) {
        if (m < (1U << 24) || m % 2 == 0) continue;
        const std::uint64_t a = (b * m + static_cast<std::uint64_t>(c)) >> k;
        const bool in_range = a >= (1U << 23) && a < (1U << 24) && (k == 24) == (a >= b);
        if (in_range) visit(__builtin_bit_cast(float, one | (static_cast<unsigned>(a) & 0x7fffff)));
      }
    }
  }
}

}  // namespace bombard::tests
