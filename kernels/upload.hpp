#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "kernels/device_memory.hpp"

namespace bombard::cuda {

/// Orders copies that run beside the launches. Handles are the runtime's, kept untyped so that
/// engines need no CUDA headers.
class CopyStream {
 public:
  CopyStream();
  ~CopyStream();
  CopyStream(const CopyStream&) = delete;
  CopyStream& operator=(const CopyStream&) = delete;

  /// Waits until copy `slot` (0 or 1) has arrived: its host memory may be written again.
  void wait(int slot);
  /// Queues a copy as `slot`, behind the launches and allocations before the last used(slot); later
  /// launches wait for it.
  void copy(int slot, const void* from, void* to, std::int64_t bytes);
  /// Marks the launches and allocations so far as users of `slot`.
  void used(int slot);

 private:
  void* stream_;
  void* arrived_[2];
  void* used_[2];
};

/// Sends arrays to the device while it works on the one before: two page-locked buffers and their
/// twins in device memory take turns.
template <class T>
class Upload {
 public:
  /// Host memory for `count` elements, to be filled and then sent.
  std::span<T> fill(std::int64_t count) {
    stream_.wait(slot_);
    host_[slot_].at_least(count);
    count_ = count;
    return host_[slot_].span().first(static_cast<std::size_t>(count));
  }

  /// Sends what was filled; launches that follow may use the span returned, until release().
  std::span<const T> send() {
    if (device_[slot_].at_least(count_)) stream_.used(slot_);
    stream_.copy(slot_, host_[slot_].span().data(), device_[slot_].span().data(),
                 count_ * static_cast<std::int64_t>(sizeof(T)));
    return device_[slot_].span().first(static_cast<std::size_t>(count_));
  }

  /// Sends the first elements of what was filled to memory of the caller's, as many as that takes,
  /// which no launch so far uses; they stay there, and no release() follows.
  void send(std::span<T> to) {
    stream_.copy(slot_, host_[slot_].span().data(), to.data(),
                 static_cast<std::int64_t>(to.size_bytes()));
    slot_ ^= 1;
  }

  /// Copies to come wait for the launches and allocations so far.
  void wait_for_launches() {
    stream_.used(0);
    stream_.used(1);
  }

  /// After the launches that use the span.
  void release() {
    stream_.used(slot_);
    slot_ ^= 1;
  }

 private:
  CopyStream stream_;
  PinnedArray<T> host_[2];
  DeviceArray<T> device_[2];
  std::int64_t count_ = 0;
  int slot_ = 0;
};

}  // namespace bombard::cuda
