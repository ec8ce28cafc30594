#pragma once

#include <span>

#include "kernels/indexed_value.hpp"

namespace bombard {

/// Who reduces on the device.
enum class Reduction { cub, inhouse };

}  // namespace bombard

/// Arg-max: the largest value and its index, the smallest index among equals. Deterministic. No NaN
/// among the values. An empty span gives {-infinity, -1}.
namespace bombard::cpu {
IndexedValue arg_max(std::span<const float> values);
}

/// A span of device memory; waits for the answer.
namespace bombard::cuda {
IndexedValue arg_max(std::span<const float> values, Reduction reduction);
}
