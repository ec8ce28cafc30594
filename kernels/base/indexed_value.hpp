#pragma once

#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace bombard {

/// A value and its index. As a peak it is above 0, and {0, -1} stands for none.
template <class Value>
struct Indexed {
  Value value;
  std::int64_t index;
};
using IndexedValue = Indexed<float>;

/// Whether peak a is higher than peak b: the larger value is, and of two equal ones the one at the
/// smaller index. Every maximum in the program is found by this comparison. (Without || and && a
/// GPU needs no branch.)
template <class Value>
BOMBARD_HOST_DEVICE constexpr bool is_higher(Value a, std::int64_t index_of_a, Value b,
                                             std::int64_t index_of_b) {
  return (a > b) | ((a == b) & (index_of_a < index_of_b));
}

/// The higher of two peaks.
template <class Value>
BOMBARD_HOST_DEVICE constexpr Indexed<Value> higher(const Indexed<Value>& a,
                                                    const Indexed<Value>& b) {
  return is_higher(b.value, b.index, a.value, a.index) ? b : a;
}

}  // namespace bombard
