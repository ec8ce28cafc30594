#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"

namespace bombard::cuda {

/// The first program of a beginner, a yardstick of the benchmark: one thread a cell, which reads
/// every impact. The rule's sums, to the last bit, without any of the thought that went into the
/// engines. Spans of device memory; returns once launched.
void plain_kernel(std::span<const Impact> impacts, std::span<float> layer);

}  // namespace bombard::cuda
