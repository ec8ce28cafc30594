#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace bombard {

/// Untyped host memory, not initialised nor touched, in huge pages where the system has them: a
/// table that is read all over costs few address translations, a large layer few page faults, and
/// the threads that touch it first share the work of getting it. CannotRun when it cannot be had.
void* allocate_host(std::int64_t bytes);
void release_host(void* memory);

/// An array of T in such memory.
template <class T>
class HostArray {
 public:
  explicit HostArray(std::int64_t size = 0) { at_least(size); }
  HostArray(HostArray&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  HostArray& operator=(HostArray&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  /// Makes room for so many elements; if there was less, what it held is lost.
  void at_least(std::int64_t size) {
    if (size <= size_) return;
    data_.reset();
    size_ = 0;
    data_.reset(static_cast<T*>(allocate_host(size * static_cast<std::int64_t>(sizeof(T)))));
    size_ = size;
  }

  std::int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::span<T> span() { return {data_.get(), static_cast<std::size_t>(size_)}; }
  std::span<const T> span() const { return {data_.get(), static_cast<std::size_t>(size_)}; }
  T& operator[](std::int64_t i) { return data_[static_cast<std::size_t>(i)]; }

 private:
  struct Release {
    void operator()(T* memory) const { release_host(memory); }
  };
  std::unique_ptr<T[], Release> data_;
  std::int64_t size_ = 0;
};

}  // namespace bombard
