#pragma once

#include <span>

/// Copy: copy[k] = layer[k] for every cell. Both spans have the same length and do not overlap.
/// The spans are in device memory; returns once launched.
namespace bombard::cuda {
void copy(std::span<const float> layer, std::span<float> copy);
}
