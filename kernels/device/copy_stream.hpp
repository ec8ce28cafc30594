#pragma once

#include <cstdint>
#include <vector>

#include "kernels/device/event.hpp"

namespace bombard::cuda {

/// Orders copies that run beside the launches.
class CopyStream {
 public:
  /// For copies that are numbered by `slots` slots, on the current device.
  explicit CopyStream(int slots);
  ~CopyStream();
  CopyStream(const CopyStream&) = delete;
  CopyStream& operator=(const CopyStream&) = delete;

  /// On a new thread, before it asks for page-locked memory: CUDA gives it the first device of the
  /// machine, and would start that one.
  void make_device_current();
  /// Waits until the last copy of this slot has arrived: its host memory may be written again.
  void wait(int slot);
  /// Queues a copy. This and wait() may be called on any thread, on several for different slots.
  void copy(int slot, const void* from, void* to, std::int64_t bytes);
  /// Launches to come wait for all copies so far.
  void before_launches();

  /// Marks the launches and allocations so far as users of memory 0 or 1.
  void used(int memory);
  /// Copies to come wait for those that were marked last.
  void after_use_of(int memory);

 private:
  int device_;
  cudaStream_t stream_;
  Event all_arrived_;
  std::vector<Event> arrived_;
  Event used_[2];
};

}  // namespace bombard::cuda
