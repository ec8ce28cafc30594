#pragma once

#include <span>

#include "kernels/base/indexed_value.hpp"

namespace bombard::cpu {

/// Max-location: the largest cell of 1 .. size-2 that is above 0 and larger than both its
/// neighbours, and its index in the span, the smallest index among equals; {0, 0} without one.
IndexedValue max_location(std::span<const float> layer);

}  // namespace bombard::cpu

namespace bombard::cuda {

/// Max-location, first half: peaks[k] = layer[k] where layer[k] > layer[k-1], layer[k] > layer[k+1]
/// and layer[k] > 0, else 0. The two ends of the span are never peaks. The second half, the largest
/// peak and among equals the first, is an arg-max (kernels/reduction/arg_max.hpp); a largest of 0
/// means no peak. Spans of device memory, of the same length, that do not overlap; returns once
/// launched.
void mark_peaks(std::span<const float> layer, std::span<float> peaks);

}  // namespace bombard::cuda
