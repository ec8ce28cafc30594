#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/layer/cell_range.hpp"
#include "sim/engines/storm_upload.hpp"
#include "sim/engines/storm_view.hpp"

namespace bombard {

/// The impacts of the storms so far in device memory, one storm behind another.
class DeviceStorms {
 public:
  /// Up to `threads` threads send them; `expected` impacts in all.
  DeviceStorms(int threads, std::int64_t expected) : upload_(threads), expected_(expected) {}

  /// Sends a storm.
  void add(const StormView& storm);
  /// Forgets all storms. The next ones wait for the launches that may read these.
  void clear() {
    ends_.clear();
    upload_.wait_for_launches();
  }

  std::span<const Impact> impacts() const { return impacts_.span(); }
  /// Where each storm ends among them.
  std::span<const std::int64_t> ends() const { return ends_; }
  /// Those of the last storm.
  std::span<const Impact> last() const {
    const std::int64_t begin = ends_.size() > 1 ? ends_[ends_.size() - 2] : 0;
    return slice(impacts(), {begin, ends_.back()});
  }

 private:
  StormUpload upload_;
  std::int64_t expected_;
  cuda::DeviceArray<Impact> impacts_;
  std::vector<std::int64_t> ends_;
};

}  // namespace bombard
