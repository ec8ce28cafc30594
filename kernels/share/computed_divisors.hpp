#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/layer/scaled_impact.hpp"

namespace bombard::cpu {

/// Whether some of |d + i| + 1 for i = 0 .. count-1 may need more than 32 bits.
inline bool is_far(std::int64_t d, std::int32_t count) {
  const std::int64_t bound = std::int64_t{0x7fffffff} - 2 * count;
  return d <= -bound || d >= bound;
}

/// The roots of |d + i| + 1 for i = 0 .. count-1, as in a DivisorTable.
[[gnu::always_inline]] inline void compute_divisors(std::int64_t d, std::int32_t count,
                                                    float* divisors) {
  if (!is_far(d, count)) {
    const auto start = static_cast<std::int32_t>(d);
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t apart = start + i < 0 ? -(start + i) : start + i;
      divisors[i] = std::sqrt(static_cast<float>(apart + 1));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) divisors[i] = std::sqrt(distance(d + i, 0));
  }
}

}  // namespace bombard::cpu
