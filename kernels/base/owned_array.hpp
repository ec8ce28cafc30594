#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace bombard {

/// An uninitialised array of T in memory of some kind: get(bytes) gives it, or throws CannotRun
/// when there is not enough, and give_back(pointer) takes it back.
template <class T, void* (*get)(std::int64_t), void (*give_back)(void*) noexcept>
class OwnedArray {
 public:
  OwnedArray() = default;
  explicit OwnedArray(std::int64_t size) { at_least(size); }
  OwnedArray(OwnedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  OwnedArray& operator=(OwnedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~OwnedArray() { release(); }

  /// Makes room for `size` elements. If there was less room before, the old elements are lost and
  /// the result is true.
  bool at_least(std::int64_t size) {
    if (size <= size_) return false;
    release();
    data_ = static_cast<T*>(get(size * static_cast<std::int64_t>(sizeof(T))));
    size_ = size;
    return true;
  }
  /// Gives the memory back.
  void release() noexcept {
    if (data_ != nullptr) give_back(data_);
    data_ = nullptr;
    size_ = 0;
  }

  std::int64_t size() const { return size_; }
  std::span<T> span() { return {data_, static_cast<std::size_t>(size_)}; }
  std::span<const T> span() const { return {data_, static_cast<std::size_t>(size_)}; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace bombard
