#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"

/// First programs of a beginner: the yardsticks of the benchmark. The rule's sums, to the last bit,
/// without any of the thought that went into the engines.
namespace bombard {

/// The plain sequential loop: impacts outside, cells inside, a root and two divisions an
/// interaction.
void plain_loop(std::span<const Impact> impacts, std::span<float> layer);

namespace cuda {

/// The plain kernel: one thread a cell, which reads every impact. Spans of device memory; returns
/// once launched.
void plain_kernel(std::span<const Impact> impacts, std::span<float> layer);

}  // namespace cuda
}  // namespace bombard
