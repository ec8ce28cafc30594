#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/base/owned_array.hpp"

namespace bombard::cuda {

/// Bytes free on the current device, including freed ones that this program keeps for later.
std::int64_t free_device_memory();

/// Throws CannotRun with the GB needed and the GB free when the current device has less free.
/// `what` completes "... needs".
void require_device_memory(std::int64_t bytes, const std::string& what);

/// Waits for everything launched; throws if any of it failed.
void synchronize();

/// Device memory of the current device.
void* get_device_memory(std::int64_t bytes);
void give_back_device_memory(void* memory) noexcept;
/// Page-locked host memory, for copies that overlap with work.
void* get_pinned_memory(std::int64_t bytes);
void give_back_pinned_memory(void* memory) noexcept;

/// Copies in order with the launches before and after. to_device returns when `from` may be reused,
/// and to_host when the bytes have arrived.
void copy_to_device(const void* from, void* to, std::int64_t bytes);
void copy_to_host(const void* from, void* to, std::int64_t bytes);
/// Copies within device memory; returns once queued. Bandwidths are measured against this copy's.
void copy_on_device(const void* from, void* to, std::int64_t bytes);

/// Sets all bytes of device memory; returns once queued.
void set_bytes(void* memory, int byte, std::int64_t bytes);
template <class T>
void set_bytes(std::span<T> memory, int byte) {
  set_bytes(memory.data(), byte, static_cast<std::int64_t>(memory.size_bytes()));
}

/// An array of T in device memory.
template <class T>
class DeviceArray : public OwnedArray<T, get_device_memory, give_back_device_memory> {
  using Base = OwnedArray<T, get_device_memory, give_back_device_memory>;

 public:
  using Base::at_least;
  using Base::Base;
  using Base::span;

  DeviceArray() = default;
  explicit DeviceArray(std::span<const T> values)
      : DeviceArray(static_cast<std::int64_t>(values.size())) {
    copy_from(values);
  }

  /// at_least() for large arrays: throws the error of require_device_memory() if memory is short.
  bool at_least(std::int64_t size, const std::string& what) {
    if (size <= this->size()) return false;
    this->release();
    require_device_memory(size * static_cast<std::int64_t>(sizeof(T)), what);
    return at_least(size);
  }

  /// Copies the first values.size() elements from the host; the array must be large enough.
  void copy_from(std::span<const T> values) {
    copy_to_device(values.data(), span().data(), static_cast<std::int64_t>(values.size_bytes()));
  }
  /// Copies the first values.size() elements to the host.
  void copy_to(std::span<T> values) const {
    copy_to_host(span().data(), values.data(), static_cast<std::int64_t>(values.size_bytes()));
  }
};

/// An array of T in page-locked host memory, which kernels can reach, too.
template <class T>
using PinnedArray = OwnedArray<T, get_pinned_memory, give_back_pinned_memory>;

}  // namespace bombard::cuda
