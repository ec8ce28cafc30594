#pragma once

#include <vector>

#include "kernels/layer/scaled_impact.hpp"

/// Impacts that are added to a layer, whose values before are `layer`.
struct CountedCase {
  std::vector<bombard::ScaledImpact> impacts;
  std::vector<float> layer;
  std::int64_t first = 0;
  float smallest = 0;
  std::int64_t farthest_divisor = 500;
};

/// The layer after the impacts have been counted where this test program runs: on the CPU
/// (cpu_counting.cpp) or on a GPU (gpu_counting.cpp).
std::vector<float> counted(const CountedCase& given);

/// Whether energies may be negative there, and shares may be too small to count.
extern const bool counts_any_storm;
