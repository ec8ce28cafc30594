#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/base/host_device.hpp"

namespace bombard {

/// The unsigned integer of the size of T.
template <class T>
using SortKey = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// The highest bit: the sign of the value.
template <class Key>
constexpr Key sign_bit = Key{1} << (8 * sizeof(Key) - 1);

/// Bits above these, apart from the sign, are NaN.
template <class T>
constexpr auto infinity_bits = std::bit_cast<SortKey<T>>(std::numeric_limits<T>::infinity());

/// The unsigned number that stands for a value, given by its bits: sorting keys sorts values.
/// Floats: the sign bit of positive ones is set, all bits of negative ones are flipped; NaN loses
/// its sign and so comes after +infinity.
template <class T>
BOMBARD_HOST_DEVICE constexpr SortKey<T> sort_key(SortKey<T> bits) {
  constexpr auto sign = sign_bit<SortKey<T>>;
  if constexpr (std::is_floating_point_v<T>) {
    // Without a branch, which random signs would make unpredictable.
    const bool flips = ((bits & sign) != 0) & ((bits & ~sign) <= infinity_bits<T>);
    return (bits | sign) ^ (SortKey<T>{0} - SortKey<T>{flips});
  } else {
    return bits ^ sign;
  }
}

/// The inverse: the bits of the value that a key stands for.
template <class T>
BOMBARD_HOST_DEVICE constexpr SortKey<T> value_of_sort_key(SortKey<T> key) {
  constexpr auto sign = sign_bit<SortKey<T>>;
  const SortKey<T> is_positive = key >> (8 * sizeof(key) - 1);
  return key ^ (std::is_integral_v<T> ? sign : sign | (is_positive - 1));
}

}  // namespace bombard
