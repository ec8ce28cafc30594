#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace bombard {

/// The product of numbers and sizes, none of them negative: elements or bytes. If 63 bits cannot
/// hold it, it is the largest number that they hold, which is more than any machine's memory.
constexpr std::int64_t byte_count(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  bool too_large = false;
  for (const std::int64_t factor : factors) {
    if (factor == 0) return 0;
    too_large = too_large || __builtin_mul_overflow(product, factor, &product);
  }
  return too_large ? std::numeric_limits<std::int64_t>::max() : product;
}

/// The sum of such numbers, likewise.
constexpr std::int64_t total_bytes(std::initializer_list<std::int64_t> parts) {
  std::int64_t sum = 0;
  bool too_large = false;
  for (const std::int64_t part : parts) {
    too_large = too_large || __builtin_add_overflow(sum, part, &sum);
  }
  return too_large ? std::numeric_limits<std::int64_t>::max() : sum;
}

}  // namespace bombard
