#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/bitonic_sort.hpp"
#include "kernels/host_device.hpp"

namespace bombard {

constexpr std::uint32_t sign_bit = 0x80000000;

/// The bits of a NaN as a key: above +infinity's 0xFF800000, the same in both orders.
BOMBARD_HOST_DEVICE constexpr bool is_nan_key(std::uint32_t key) {
  return key > 0xFF800000;
}

/// The unsigned number that stands for a value, given by its bits, in the order wanted: sorting
/// keys upwards sorts values. Floats: the sign bit of positive ones is set, all bits of negative
/// ones are flipped; NaN loses its sign and so comes after +infinity. Downwards, keys are flipped,
/// but not those of NaN: the keys of the other floats are 0x007FFFFF to 0xFF800000, whose
/// complements are the same range.
template <class T>
BOMBARD_HOST_DEVICE constexpr std::uint32_t sort_key(std::uint32_t bits, SortOrder order) {
  if constexpr (std::is_same_v<T, float>) {
    const bool nan = (bits & ~sign_bit) > 0x7F800000;
    if (nan) return bits | sign_bit;
    bits = bits & sign_bit ? ~bits : bits | sign_bit;
  } else {
    bits ^= sign_bit;
  }
  return order == SortOrder::ascending ? bits : ~bits;
}

/// The inverse: the bits of the value that a key stands for.
template <class T>
BOMBARD_HOST_DEVICE constexpr std::uint32_t value_of_sort_key(std::uint32_t key, SortOrder order) {
  if constexpr (std::is_same_v<T, float>) {
    if (is_nan_key(key)) return key & ~sign_bit;
    if (order == SortOrder::descending) key = ~key;
    return key & sign_bit ? key & ~sign_bit : ~key;
  } else {
    if (order == SortOrder::descending) key = ~key;
    return key ^ sign_bit;
  }
}

}  // namespace bombard
