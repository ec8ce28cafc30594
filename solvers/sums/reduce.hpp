#pragma once

#include <cstdint>
#include <span>

#include "solvers/device_choice.hpp"
#include "solvers/sums/reduction.hpp"

namespace bombard {

/// The sum of `values`, T std::int32_t (exact, in 64 bits), float or double (in double). The same
/// number every time on one device. 0 for an empty span.
template <class T>
SumOf<T> sum(std::span<const T> values, const DeviceChoice& device);

/// The largest of `values`, T std::int32_t, float or double; NaN if one of them is NaN. Throws
/// InputError for an empty span.
template <class T>
T maximum(std::span<const T> values, const DeviceChoice& device);

}  // namespace bombard
