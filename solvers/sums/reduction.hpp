#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

namespace bombard {

/// What values are summed in: integers exactly, floating point in double.
template <class T>
using SumOf = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

}  // namespace bombard

/// Reductions, each deterministic on a device.
///
/// sum      T std::int32_t, float or double; 0 for an empty span; of floating-point numbers
///          compensated (kernels/reduction/compensated_sum.hpp)
/// minimum, maximum
///          T std::int32_t, float or double; NaN if one of the values is, -0 below +0. An empty
///          span gives the identity: the type's infinity, or its largest or smallest integer.
namespace bombard::cpu {
template <class T>
SumOf<T> sum(std::span<const T> values);
template <class T>
T minimum(std::span<const T> values);
template <class T>
T maximum(std::span<const T> values);
}  // namespace bombard::cpu

/// Spans of device memory; they wait for the answer.
namespace bombard::cuda {
template <class T>
SumOf<T> sum(std::span<const T> values);
template <class T>
T minimum(std::span<const T> values);
template <class T>
T maximum(std::span<const T> values);
}  // namespace bombard::cuda
