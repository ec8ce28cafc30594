#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/layer/scaled_impact.hpp"

/// Impacts that are added to a layer, which is `layer` before.
struct CountedCase {
  std::vector<bombard::ScaledImpact> impacts;
  std::vector<float> layer;
  std::int64_t first = 0;
  float smallest = 0;
  std::int64_t farthest_divisor = 500;
};

/// A way to count, and the layer after it.
struct CountingWay {
  std::string name;
  std::function<std::vector<float>(const CountedCase&)> counted;
};

/// The ways that this test program answers for: each instruction set that this processor offers
/// (cpu_counting.cpp), or a GPU (gpu_counting.cpp).
std::vector<CountingWay> counting_ways();

/// Skips without a GPU where a test needs one.
void require_counting();
