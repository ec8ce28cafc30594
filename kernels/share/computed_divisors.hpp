#pragma once

#include <cstdint>
#include <utility>

#include "kernels/share/attenuation.hpp"

namespace bombard::cpu {

/// Whether some of |d + i| + 1 for i = 0 .. count-1 may need more than 32 bits.
inline bool is_far(std::int64_t d, std::int32_t count) {
  const std::int64_t bound = std::int64_t{0x7fffffff} - 2 * count;
  return d <= -bound || d >= bound;
}

/// divisor(|d + i| + 1) for i = 0 .. count-1.
template <class Law>
[[gnu::always_inline]] inline void compute_divisors(const Law& law, std::int64_t d,
                                                    std::int32_t count, float* divisors) {
  if (!is_far(d, count)) {
    const auto start = static_cast<std::int32_t>(d);
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t apart = start + i < 0 ? -(start + i) : start + i;
      divisors[i] = law.divisor(static_cast<float>(apart + 1));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) divisors[i] = law.divisor(distance(d + i, 0));
  }
}

template <int quarters>
struct KnownPower {
  [[gnu::always_inline]] static float divisor(float n) { return GeneralLaw{quarters}.divisor(n); }
};

/// The same, by a loop for each power: only where the power is a constant does the loop become one
/// of vectors.
template <>
inline void compute_divisors(const GeneralLaw& law, std::int64_t d, std::int32_t count,
                             float* divisors) {
  const auto of_power = [&]<int... less>(std::integer_sequence<int, less...>) {
    ((law.quarters == less + 1 ? compute_divisors(KnownPower<less + 1>(), d, count, divisors)
                               : void()),
     ...);
  };
  of_power(std::make_integer_sequence<int, GeneralLaw::most_quarters>());
}

}  // namespace bombard::cpu
