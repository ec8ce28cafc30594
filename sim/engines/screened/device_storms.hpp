#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "sim/engines/storm_upload.hpp"

namespace bombard {

/// The impacts of the pending storms in device memory, one storm behind another: the screened layer
/// brings them there, and the exact layer uses them again.
class DeviceStorms {
 public:
  /// Up to `threads` threads send them.
  explicit DeviceStorms(int threads) : upload_(threads) {}

  /// Sends a storm; its impacts there.
  std::span<const Impact> add(const StormView& storm);
  void clear();

  std::span<const Impact> impacts() const { return impacts_.span(); }
  /// Where each storm ends among them.
  std::span<const std::int64_t> ends() const { return ends_; }
  /// The extent of all storms together.
  const StormExtent& extent() const { return extent_; }

 private:
  StormUpload upload_;
  cuda::DeviceArray<Impact> impacts_;
  std::vector<std::int64_t> ends_;
  StormExtent extent_;
};

}  // namespace bombard
