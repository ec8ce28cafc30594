#pragma once

#include <cmath>

#include "kernels/base/host_device.hpp"

namespace bombard {

/// The attenuation law: an impact of energy e at position p gives cell k the share
/// e / divisor(n) with n = |p - k| + 1, every operation rounded to binary32 (docs/methods.md, The
/// rule). Another law is another type with the same members; engines and kernels take it as a
/// parameter.
struct SquareRootLaw {
  /// divisor(n) is n^power but for its own roundings, 1.5 units of 2^-24 at most.
  static constexpr double power = 0.5;

  /// n >= 1, non-decreasing in n, exact to the last bit.
  BOMBARD_HOST_DEVICE static float divisor(float n) { return std::sqrt(n); }
};

}  // namespace bombard
