#pragma once

#include "kernels/base/host_device.hpp"

namespace bombard {

// Of two numbers the smaller and the larger one; NaN if one of them is NaN.

struct Smaller {
  template <class T>
  BOMBARD_HOST_DEVICE T operator()(T a, T b) const {
    return ((b < a) | (b != b)) ? b : a;
  }
};
struct Larger {
  template <class T>
  BOMBARD_HOST_DEVICE T operator()(T a, T b) const {
    return ((b > a) | (b != b)) ? b : a;
  }
};

}  // namespace bombard
