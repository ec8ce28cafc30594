#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/base/host_device.hpp"

namespace bombard {

template <class T>
constexpr T positive_nan = std::numeric_limits<T>::quiet_NaN();

/// The minimum and maximum of IEEE 754-2019 for floats: positive NaN if one of them is NaN, -0
/// below +0, so that many combined in any order give the same bits. Integers as usual. There is no
/// && or ||: selections replace branches, at which the threads of a warp would diverge.
template <bool larger>
struct OneOfTwo {
  template <class T>
  BOMBARD_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      const bool b_is_below = (b < a) | ((b == a) & std::signbit(b));
      const bool unordered = (a != a) | (b != b);
      return unordered ? positive_nan<T> : b_is_below != larger ? b : a;
    } else {
      return (b < a) != larger ? b : a;
    }
  }
};
using Smaller = OneOfTwo<false>;
using Larger = OneOfTwo<true>;

}  // namespace bombard
