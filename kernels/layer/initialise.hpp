#pragma once

#include <span>

/// Initialise: layer[k] = 0 for every cell. The span is in device memory; returns once launched.
namespace bombard::cuda {
void initialise(std::span<float> layer);
}
