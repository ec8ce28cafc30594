#pragma once

#include <span>

#include "bombard/settings.hpp"
#include "kernels/base/indexed_value.hpp"

/// The largest value and its index, the smallest index among equals; no value may be NaN. An empty
/// span gives {-infinity, -1}. The spans are in device memory; deterministic on a given device.
namespace bombard::cuda {
/// Waits for the answer.
IndexedValue arg_max(std::span<const float> values, Reduction reduction);
/// The same for at least one value, into one element of device memory; returns once launched.
void arg_max(std::span<const float> values, Reduction reduction, std::span<IndexedValue> result);
}  // namespace bombard::cuda
