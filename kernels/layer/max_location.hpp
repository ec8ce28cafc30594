#pragma once

#include <span>

#include "kernels/base/indexed_value.hpp"

namespace bombard::cpu {

/// Max-location: the largest value among the cells 1 .. size-2 that are above 0 and larger than
/// both their neighbours, and its index in the span (the smallest index among equals); {0, 0} if
/// there is no such cell.
IndexedValue max_location(std::span<const float> layer);

}  // namespace bombard::cpu

namespace bombard::cuda {

/// Max-location, first half: peaks[k] = layer[k] where layer[k] > layer[k-1], layer[k] > layer[k+1]
/// and layer[k] > 0, otherwise 0. The two ends of the span are never peaks. The second half, which
/// finds the largest peak, or the first of equal ones, is an arg-max
/// (kernels/reduction/arg_max.hpp); if the largest value is 0, there is no peak. The spans are in
/// device memory, have the same length and do not overlap; returns once launched.
void mark_peaks(std::span<const float> layer, std::span<float> peaks);

}  // namespace bombard::cuda
