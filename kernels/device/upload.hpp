#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/device_memory.hpp"
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

/// Sends arrays to the device while it works on the one before: two page-locked buffers and their
/// twins in device memory take turns. Page-locked memory takes a millisecond to get, and many
/// programs send little: the first arrays do without, and the driver copies them to its own.
template <class T>
class Upload {
 public:
  /// Host memory for `count` elements, to be filled and then sent.
  std::span<T> fill(std::int64_t count) {
    count_ = count;
    const auto size = static_cast<std::size_t>(count);
    bytes_ += count * static_cast<std::int64_t>(sizeof(T));
    if (bytes_ <= most_staged) {
      staged_.resize(std::max(size, staged_.size()));
      return filled_ = std::span(staged_).first(size);
    }
    stream_.wait(slot_);
    host_[slot_].at_least(count);
    return filled_ = host_[slot_].span().first(size);
  }

  /// Sends what was filled; launches that follow may use the span returned, until release().
  std::span<const T> send() {
    if (device_[slot_].at_least(count_)) stream_.used(slot_);
    const std::span<T> to = device_[slot_].span().first(static_cast<std::size_t>(count_));
    copy(to);
    return to;
  }

  /// Fills `to`, memory of the caller that no launch so far uses, with the first elements of what
  /// was filled. They stay there, and no release() follows.
  void send(std::span<T> to) {
    copy(to);
    slot_ ^= 1;
  }

  /// Copies to come wait for the launches and allocations so far.
  void wait_for_launches() {
    stream_.used(0);
    stream_.used(1);
  }

  /// Releases the memory; call it after the launches that use the span.
  void release() {
    stream_.used(slot_);
    slot_ ^= 1;
  }

 private:
  /// Up to this number of bytes, the driver's copy from pageable memory, which its call waits for,
  /// takes less time than the allocation of page-locked memory.
  static constexpr std::int64_t most_staged = 1 << 22;

  void copy(std::span<T> to) {
    stream_.after_use_of(slot_);
    stream_.copy(slot_, filled_.data(), to.data(), static_cast<std::int64_t>(to.size_bytes()));
    stream_.before_launches();
  }

  CopyStream stream_{2};
  std::vector<T> staged_;
  PinnedArray<T> host_[2];
  std::span<T> filled_;
  DeviceArray<T> device_[2];
  std::int64_t count_ = 0;
  std::int64_t bytes_ = 0;  ///< of all arrays so far
  int slot_ = 0;
};

}  // namespace bombard::cuda
