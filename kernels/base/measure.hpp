#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/base/timer.hpp"

namespace bombard {

inline double median(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

/// Median seconds of work on the CPU, after a first call that warms up; fewer than 5 repetitions
/// only if the work takes more than 0.2 s, and the first call alone if it takes more than a second.
template <class Work>
double host_seconds(const Work& work) {
  WallTimer first;
  work();
  if (first.seconds() > 1) return first.seconds();
  std::vector<double> seconds;
  WallTimer all;
  while (seconds.size() < 101 && (seconds.empty() || all.seconds() < 1)) {
    WallTimer timer;
    work();
    seconds.push_back(timer.seconds());
  }
  return median(seconds);
}

}  // namespace bombard
