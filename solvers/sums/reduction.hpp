#pragma once

#include <cstdint>
#include <span>

#include "bombard/solve.hpp"
#include "solvers/sums/compensated_sum.hpp"

namespace bombard {

/// The type in which values are summed: integers exactly, floating point in double.
template <class T>
using SumOf = solve::Sum<T>;
/// The same before the last rounding.
template <class T>
using SumSoFar = std::conditional_t<std::is_integral_v<T>, std::int64_t, CompensatedSum>;

}  // namespace bombard

/// Reductions, each deterministic on a device, T std::int32_t, float or double.
///
/// sum      0 for an empty span; of floating-point numbers compensated
///          (solvers/sums/compensated_sum.hpp)
/// maximum  NaN if one of the values is, -0 below +0. An empty span gives the identity: -infinity,
/// or
///          the smallest integer.
namespace bombard::cpu {
template <class T>
SumOf<T> sum(std::span<const T> values);
/// The sum of values that come piece by piece, with the digits of the sum of all: `so_far` becomes
/// the sum of the pieces so far. Every piece but the last is a multiple of elements_together
/// (inputs/array_file.hpp).
template <class T>
SumOf<T> sum(std::span<const T> values, SumSoFar<T>& so_far);
template <class T>
T maximum(std::span<const T> values);
}  // namespace bombard::cpu

namespace bombard {

/// The same on the current device of values in memory of the host, which the CUDA part registers.
template <class T>
struct DeviceReductions {
  SumOf<T> (*sum)(std::span<const T> values);
  T (*maximum)(std::span<const T> values);
};

}  // namespace bombard
