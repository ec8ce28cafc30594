#pragma once

#include <chrono>

namespace bombard {

/// Wall-clock seconds since construction.
class WallTimer {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

namespace cuda {

/// Device seconds between start() and stop(), from two events in the stream of the launches.
class DeviceTimer {
 public:
  DeviceTimer();
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;
  void start();
  /// Waits for the work in between and returns its seconds.
  double stop();

 private:
  void* start_;
  void* stop_;
};

}  // namespace cuda
}  // namespace bombard
