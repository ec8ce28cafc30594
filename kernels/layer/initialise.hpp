#pragma once

#include <span>

/// Initialise: layer[k] = value for every cell.
namespace bombard::cpu {
void initialise(float value, std::span<float> layer);
}

/// Spans of device memory; returns once launched.
namespace bombard::cuda {
void initialise(float value, std::span<float> layer);
}
