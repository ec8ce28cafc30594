#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "kernels/base/timer.hpp"
#include "kernels/device/device.hpp"
#include "kernels/device/device_timer.hpp"

namespace bombard {

/// Seconds that the work takes: on the device by events, on the host by the wall clock.
inline double seconds_of(bool on_device, const std::function<void()>& work) {
  if (on_device) {
    cuda::synchronize();
    cuda::DeviceTimer timer;
    timer.start();
    work();
    return timer.stop();
  }
  const WallTimer timer;
  work();
  return timer.seconds();
}

/// The median of `times` measurements after one that does not count.
inline double median_seconds(bool on_device, int times, const std::function<void()>& work) {
  work();
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) seconds.push_back(seconds_of(on_device, work));
  std::nth_element(seconds.begin(), seconds.begin() + times / 2, seconds.end());
  return seconds[static_cast<std::size_t>(times / 2)];
}

}  // namespace bombard
