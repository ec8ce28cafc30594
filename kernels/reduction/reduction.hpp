#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "kernels/base/indexed_value.hpp"

namespace bombard {

/// Who reduces on the device.
enum class Reduction { cub, inhouse };

/// What values are summed in: integers exactly, floating point in double.
template <class T>
using SumOf = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

}  // namespace bombard

/// Reductions, each deterministic on a device.
///
/// arg_max  on the device: the largest value and its index, the smallest index among equals; no NaN
///          among the values. An empty span gives {-infinity, -1}.
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
IndexedValue arg_max(std::span<const float> values, Reduction reduction);
/// The same of at least one value into one element of device memory; returns once launched.
void arg_max(std::span<const float> values, Reduction reduction, std::span<IndexedValue> result);
template <class T>
SumOf<T> sum(std::span<const T> values);
template <class T>
T minimum(std::span<const T> values);
template <class T>
T maximum(std::span<const T> values);
}  // namespace bombard::cuda
