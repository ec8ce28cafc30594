#pragma once

#include <cuda_runtime_api.h>

#include "kernels/device/cuda_check.hpp"

namespace bombard::cuda {

/// A point between the launches and copies of a stream, by default without a time.
class Event {
 public:
  explicit Event(unsigned flags = cudaEventDisableTiming) {
    check(cudaEventCreateWithFlags(&event_, flags), "creating an event");
  }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Marks the end of the work queued in `stream` so far.
  void record(cudaStream_t stream = nullptr) {
    check(cudaEventRecord(event_, stream), "recording an event");
  }
  /// Waits for the work before the mark; returns at once if there is no mark.
  void wait() const { check(cudaEventSynchronize(event_), "waiting for an event"); }
  /// Makes work queued in `stream` from now on wait for the mark, instead of the calling thread.
  void hold_back(cudaStream_t stream) const {
    check(cudaStreamWaitEvent(stream, event_), "ordering streams");
  }
  /// Seconds from the mark of `start` to this one; both events must record times.
  double seconds_since(const Event& start) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "reading events");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t event_;
};

}  // namespace bombard::cuda
