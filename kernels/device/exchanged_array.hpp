#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/device_memory.hpp"

namespace bombard::cuda {

/// A small array that the host and kernels pass to each other. Page-locked memory, which both
/// reach, is quickest, but it takes a millisecond to get, and many programs exchange little: the
/// first times the array is in device memory, and is copied.
template <class T>
class ExchangedArray {
 public:
  /// Makes room for `size` elements; the old elements are lost.
  void make_room(std::int64_t size) {
    if (copied()) ++times_;
    if (copied()) {
      device_.at_least(size);
    } else {
      device_.release();
      both_.at_least(size);
    }
  }

  /// The array for kernels; it has at least the room that was made.
  std::span<T> span() { return copied() ? device_.span() : both_.span(); }

  /// The first elements, from the host, before launches that read them.
  void write(std::span<const T> values) {
    if (copied()) {
      device_.copy_from(values);
    } else {
      std::ranges::copy(values, both_.span().begin());
    }
  }

  /// The first elements, on the host, once the launches that write them have ended.
  std::span<const T> read(std::size_t size) {
    if (!copied()) return both_.span().first(size);
    host_.resize(size);
    device_.copy_to(host_);
    return host_;
  }

 private:
  static constexpr int times_copied = 4;
  bool copied() const { return times_ <= times_copied; }

  int times_ = 0;  ///< that room was made
  DeviceArray<T> device_;
  std::vector<T> host_;
  PinnedArray<T> both_;
};

}  // namespace bombard::cuda
