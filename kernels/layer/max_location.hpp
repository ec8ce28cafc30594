#pragma once

#include <span>

#include "kernels/base/indexed_value.hpp"

/// Max-location, first half: peaks[k] = layer[k] where layer[k] > layer[k-1], layer[k] > layer[k+1]
/// and layer[k] > 0, else 0. The two ends of the span are never peaks. The second half, the largest
/// peak and among equals the first, is an arg-max (reduction.hpp); a largest of 0 means no peak.
/// Both spans have the same length and do not overlap.
namespace bombard::cpu {
void mark_peaks(std::span<const float> layer, std::span<float> peaks);

/// Both halves at once: the largest peak among cells 1 .. size-2 and its index in the span,
/// the smallest index among equals; {0, 0} without a peak.
IndexedValue max_location(std::span<const float> layer);
}  // namespace bombard::cpu

/// Spans of device memory; returns once launched.
namespace bombard::cuda {
void mark_peaks(std::span<const float> layer, std::span<float> peaks);
}
