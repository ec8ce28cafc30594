#pragma once

#include <algorithm>
#include <vector>

#include "kernels/base/measure.hpp"
#include "kernels/device/event.hpp"

namespace bombard::cuda {

/// Device seconds of launched work, from two events in the stream of the launches. Waits for it.
template <class Work>
double event_seconds(const Work& work) {
  Event start(cudaEventDefault), stop(cudaEventDefault);
  start.record();
  work();
  stop.record();
  stop.wait();
  return stop.seconds_since(start);
}

/// Median seconds of work launched on the device, between two events, after some calls that warm
/// up. Work that is shorter than the events and the launch is launched several times between them.
template <class Work>
double device_seconds(const Work& work) {
  work();
  const double rough = event_seconds(work);
  const int together = static_cast<int>(std::clamp(200e-6 / rough, 1.0, 50.0));
  const int repetitions = static_cast<int>(std::clamp(0.3 / (rough * together), 5.0, 101.0));
  std::vector<double> seconds;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const double all = event_seconds([&] {
      for (int i = 0; i < together; ++i) work();
    });
    seconds.push_back(all / together);
  }
  return median(seconds);
}

/// Median seconds of single launches between two events: what one call costs when nothing overlaps
/// it, including the way to the device.
template <class Work>
double single_call_seconds(const Work& work) {
  std::vector<double> seconds;
  for (int repetition = -10; repetition < 101; ++repetition) {
    const double taken = event_seconds(work);
    if (repetition >= 0) seconds.push_back(taken);
  }
  return median(seconds);
}

}  // namespace bombard::cuda
