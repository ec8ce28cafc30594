#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/layer/scaled_impact.hpp"

namespace bombard {

/// Whether the weakest energy counts at the largest distance between an impact and one of the cells
/// first .. last: then every share of every impact does. A share does not grow with the distance
/// (energy / divisor(n), each rounding monotone). False says nothing of the shares one by one.
template <class Law>
bool weakest_share_counts(std::span<const ScaledImpact> impacts, float smallest, std::int64_t first,
                          std::int64_t last) {
  float weakest = std::numeric_limits<float>::infinity();
  std::int64_t lowest = last, highest = first;
  for (const ScaledImpact& impact : impacts) {
    weakest = std::min(weakest, std::fabs(impact.energy));
    lowest = std::min(lowest, impact.position);
    highest = std::max(highest, impact.position);
  }
  const float farthest = std::max(distance(lowest, last), distance(highest, first));
  return counts(weakest / Law::divisor(farthest), smallest);
}

}  // namespace bombard
