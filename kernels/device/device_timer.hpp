#pragma once

namespace bombard::cuda {

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

}  // namespace bombard::cuda
