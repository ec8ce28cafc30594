#pragma once

#include <cstdint>

namespace bombard {

/// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), with
/// the constants of Vigna's splitmix64.c. The same numbers on every machine.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  /// Uniform in 0..range-1, range >= 1: the high half of next() * range, redrawn where the low half
  /// would favour a value. Lemire, "Fast random integer generation in an interval" (2019).
  std::uint64_t below(std::uint64_t range) {
    __extension__ using Product = unsigned __int128;
    Product product = Product{next()} * range;
    if (static_cast<std::uint64_t>(product) < range) {
      const std::uint64_t excess = (0 - range) % range;  // 2^64 modulo range
      while (static_cast<std::uint64_t>(product) < excess) product = Product{next()} * range;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Uniform in lowest..highest.
  std::int64_t between(std::int32_t lowest, std::int32_t highest) {
    return lowest + static_cast<std::int64_t>(
                        below(static_cast<std::uint64_t>(std::int64_t{highest} - lowest + 1)));
  }

  /// Uniform among the multiples of 2^-53 in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace bombard
