#pragma once

namespace bombard {

/// A rounded operation is off by a factor between 1 - u and 1 + u: half the distance from 1 to the
/// next number, 2^-24 for binary32 and 2^-53 for binary64.
inline constexpr double unit_roundoff_binary32 = 0x1p-24;
inline constexpr double unit_roundoff_binary64 = 0x1p-53;

}  // namespace bombard
