#pragma once

#include <cstdint>
#include <random>
#include <vector>

/// `count` numbers from -1 to 1, or integers from -1000 to 1000; the same for the same seed.
template <class T>
std::vector<T> random_values(std::int64_t count, unsigned seed) {
  std::mt19937_64 bits(seed);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(static_cast<std::int64_t>(bits() % 2001) - 1000);
    } else {
      value = static_cast<T>(static_cast<double>(bits() >> 11) * 0x1p-52 - 1);
    }
  }
  return values;
}
