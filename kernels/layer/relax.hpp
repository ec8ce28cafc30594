#pragma once

#include <span>

/// Relax: layer[k] = (copy[k-1] + copy[k] + copy[k+1]) / 3 for 0 < k < size-1, added from left to
/// right; the two ends keep their values. Both spans have the same length and do not overlap.
namespace bombard::cpu {
void relax(std::span<const float> copy, std::span<float> layer);
}

/// The spans are in device memory; returns once launched.
namespace bombard::cuda {
void relax(std::span<const float> copy, std::span<float> layer);
}
