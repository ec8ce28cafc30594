#pragma once

#include <vector>

#include "kernels/layer/scaled_impact.hpp"

/// Impacts that are added to a layer, whose values before are `layer`.
struct CountedCase {
  std::vector<bombard::ScaledImpact> impacts = {};
  std::vector<float> layer = {};
  std::int64_t first = 0;
  float smallest = 0;
  std::int64_t farthest_divisor = 500;  ///< in a table, if there is one
};

/// The layer after the impacts have been added in each way that there is where this test program
/// runs: by counting on a GPU (gpu_counting.cpp), and also one by one on the CPU
/// (cpu_counting.cpp).
std::vector<std::vector<float>> added(const CountedCase& given);

/// Whether energies may be negative there, impacts as far away as they like, or none, and shares
/// too small to count.
extern const bool takes_any_storm;
