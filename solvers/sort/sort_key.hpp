#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/base/host_device.hpp"
#include "solvers/sort/sort.hpp"

namespace bombard {

/// The unsigned integer of a T's size.
template <class T>
using SortKey = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// The highest bit: the sign of the value.
template <class Key>
constexpr Key sign_bit = Key{1} << (8 * sizeof(Key) - 1);

/// The bits of a T's +infinity: larger ones, the sign aside, are NaN.
template <class T>
constexpr SortKey<T> infinity_bits = sizeof(T) == 8 ? SortKey<T>(0x7FF0000000000000)
                                                    : SortKey<T>(0x7F800000);

/// The unsigned number that stands for a value, given by its bits, in the order wanted: sorting
/// keys upwards sorts values. Floats: the sign bit of positive ones is set, all bits of negative
/// ones are flipped; NaN loses its sign and so comes after +infinity, the same in both orders.
/// Downwards, keys are flipped, but not those of NaN: the keys of the other floats are the
/// complement of +infinity's to +infinity's (0x007FFFFF to 0xFF800000), which is its own
/// complement.
template <class T>
BOMBARD_HOST_DEVICE constexpr SortKey<T> sort_key(SortKey<T> bits, solve::Order order) {
  constexpr auto sign = sign_bit<SortKey<T>>;
  if constexpr (std::is_floating_point_v<T>) {
    const bool nan = (bits & ~sign) > infinity_bits<T>;
    if (nan) return bits | sign;
    bits = bits & sign ? ~bits : bits | sign;
  } else {
    bits ^= sign;
  }
  return order == solve::Order::ascending ? bits : ~bits;
}

/// The inverse: the bits of the value that a key stands for.
template <class T>
BOMBARD_HOST_DEVICE constexpr SortKey<T> value_of_sort_key(SortKey<T> key, solve::Order order) {
  constexpr auto sign = sign_bit<SortKey<T>>;
  if constexpr (std::is_floating_point_v<T>) {
    const bool nan = key > (infinity_bits<T> | sign);
    if (nan) return key & ~sign;
    if (order == solve::Order::descending) key = ~key;
    return key & sign ? key & ~sign : ~key;
  } else {
    if (order == solve::Order::descending) key = ~key;
    return key ^ sign;
  }
}

}  // namespace bombard
