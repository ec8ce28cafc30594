#pragma once

#include <functional>
#include <limits>

namespace bombard {

/// The question of a study to a kernel besides its answer: the median time of many launches.
struct KernelTiming {
  bool single_calls = false;  ///< also of calls that nothing else overlaps
  double seconds = std::numeric_limits<double>::quiet_NaN();
  double single_seconds = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace bombard

namespace bombard::cuda {

/// Runs work that launches kernels: once, or for a study, which gives a timing, again and again.
void run_timed(KernelTiming* timing, const std::function<void()>& work);

}  // namespace bombard::cuda
