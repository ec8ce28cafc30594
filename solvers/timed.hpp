#pragma once

#include "kernels/device/measure.hpp"
#include "solvers/kernel_timing.hpp"

namespace bombard::cuda {

/// Runs work that launches kernels: once, or for a study, which gives a timing, again and again.
template <class Work>
void run_timed(KernelTiming* timing, const Work& work) {
  if (timing == nullptr) return work();
  timing->seconds = device_seconds(work);
  if (timing->single_calls) timing->single_seconds = single_call_seconds(work);
}

}  // namespace bombard::cuda
