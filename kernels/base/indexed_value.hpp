#pragma once

#include <cstdint>

#include "kernels/base/host_device.hpp"

namespace bombard {

/// A value and its index.
template <class Value>
struct Indexed {
  Value value;
  std::int64_t index;
};
using IndexedValue = Indexed<float>;

/// Whether value a, or peak a, takes precedence over b: the larger one does, and of two equal ones
/// the first. Every maximum in the program is found by this comparison.
template <class Value>
BOMBARD_HOST_DEVICE constexpr bool precedes(Value a, std::int64_t index_of_a, Value b,
                                            std::int64_t index_of_b) {
  return a > b || (a == b && index_of_a < index_of_b);
}
template <class Value>
BOMBARD_HOST_DEVICE constexpr bool precedes(const Indexed<Value>& a, const Indexed<Value>& b) {
  return a.value > b.value || (a.value == b.value && a.index < b.index);
}

}  // namespace bombard
