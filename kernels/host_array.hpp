#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace bombard {

/// An array of float in host memory, not initialised, in huge pages where the system has them: a
/// table that is read all over costs few address translations, a large layer few page faults.
class HostArray {
 public:
  HostArray() = default;
  /// Throws CannotRun when the memory cannot be had.
  explicit HostArray(std::int64_t size);

  std::int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::span<float> span() { return {data_.get(), static_cast<std::size_t>(size_)}; }
  std::span<const float> span() const { return {data_.get(), static_cast<std::size_t>(size_)}; }

 private:
  struct Free {
    void operator()(float* memory) const;
  };
  std::unique_ptr<float[], Free> data_;
  std::int64_t size_ = 0;
};

}  // namespace bombard
