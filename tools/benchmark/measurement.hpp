#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "kernels/base/measure.hpp"
#include "kernels/base/timer.hpp"
#include "tools/benchmark/on_device.hpp"

namespace bombard {

/// Seconds that the work takes: on the device by events, on the host by the wall clock.
inline double seconds_of(bool with_events, const std::function<void()>& work) {
  if (with_events) return on_device<DeviceMeasurements>().seconds_of(work);
  const WallTimer timer;
  work();
  return timer.seconds();
}

/// The median of `times` measurements after one that does not count.
inline double median_seconds(bool with_events, int times, const std::function<void()>& work) {
  work();
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) seconds.push_back(seconds_of(with_events, work));
  return median(std::move(seconds));
}

}  // namespace bombard
