#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace bombard::cuda {

/// Bytes free on the current device, and freed ones that this program keeps for later.
std::int64_t free_device_memory();

/// Throws CannotRun with the GB needed and the GB free when the current device has less free.
/// `what` completes "... needs".
void require_device_memory(std::int64_t bytes, const std::string& what);

/// Waits for everything launched; throws on an error of any of it.
void synchronize();

/// Untyped device memory on the current device; CannotRun when it cannot be had.
void* allocate(std::int64_t bytes);
void release(void* memory) noexcept;
/// Page-locked host memory, for copies that overlap work.
void* allocate_pinned(std::int64_t bytes);
void release_pinned(void* memory) noexcept;

/// Copies in the order of the launches around it; to_host waits until the bytes have arrived.
/// to_device returns when `from` may be reused (pageable memory) or once queued (page-locked
/// memory).
void copy_to_device(const void* from, void* to, std::int64_t bytes);
void copy_to_host(const void* from, void* to, std::int64_t bytes);
/// Within device memory; returns once queued. Also the limit that bandwidths are measured against.
void copy_on_device(const void* from, void* to, std::int64_t bytes);

/// An array of T in device memory. Not initialised.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::int64_t size)
      : data_(static_cast<T*>(allocate(size * static_cast<std::int64_t>(sizeof(T))))),
        size_(size) {}
  explicit DeviceArray(std::span<const T> values)
      : DeviceArray(static_cast<std::int64_t>(values.size())) {
    copy_from(values);
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceArray() { release(data_); }

  /// Makes room for so many elements; if there was less, what it held is lost, and it says true.
  bool at_least(std::int64_t size) {
    if (size <= size_) return false;
    *this = DeviceArray();
    *this = DeviceArray(size);
    return true;
  }
  /// The same for large ones: throws require_device_memory()'s error without so much.
  bool at_least(std::int64_t size, const std::string& what) {
    if (size <= size_) return false;
    *this = DeviceArray();
    require_device_memory(size * static_cast<std::int64_t>(sizeof(T)), what);
    return at_least(size);
  }

  std::int64_t size() const { return size_; }
  std::span<T> span() { return {data_, static_cast<std::size_t>(size_)}; }
  std::span<const T> span() const { return {data_, static_cast<std::size_t>(size_)}; }

  /// The first values.size() elements from the host; the size must suffice.
  void copy_from(std::span<const T> values) {
    copy_to_device(values.data(), data_, static_cast<std::int64_t>(values.size_bytes()));
  }
  /// The first values.size() elements to the host.
  void copy_to(std::span<T> values) const {
    copy_to_host(data_, values.data(), static_cast<std::int64_t>(values.size_bytes()));
  }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

/// An array of T in page-locked host memory, which kernels can reach, too. Not initialised.
template <class T>
class PinnedArray {
 public:
  PinnedArray() = default;
  explicit PinnedArray(std::int64_t size)
      : data_(static_cast<T*>(allocate_pinned(size * static_cast<std::int64_t>(sizeof(T))))),
        size_(size) {}
  PinnedArray(PinnedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PinnedArray() { release_pinned(data_); }

  /// As DeviceArray's.
  bool at_least(std::int64_t size) {
    if (size <= size_) return false;
    *this = PinnedArray();
    *this = PinnedArray(size);
    return true;
  }

  std::int64_t size() const { return size_; }
  std::span<T> span() { return {data_, static_cast<std::size_t>(size_)}; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace bombard::cuda
