#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "sim/engines/storm_upload.hpp"

namespace bombard {

/// The impacts of all storms so far in device memory, in one array. Storms are sent several at
/// a time while the device works on those before.
class KeptImpacts {
 public:
  /// They are sent by up to `threads` threads.
  explicit KeptImpacts(int threads) : upload_(threads) {}

  std::size_t storms() const { return ends_.size(); }
  std::int64_t count() const { return ends_.empty() ? 0 : ends_.back(); }
  /// The places where each storm begins and ends among them.
  std::int64_t begin_of(std::size_t storm) const { return storm == 0 ? 0 : ends_[storm - 1]; }
  std::span<const std::int64_t> ends() const { return ends_; }
  /// The extent of all storms together.
  const StormExtent& extent() const { return extent_; }

  /// The impacts from number `begin` on.
  std::span<const Impact> from(std::int64_t begin) const;
  /// The storms, each with the extent of all.
  std::vector<StormView> views() const;

  /// Makes room for `impacts` impacts in all; the present ones stay.
  void make_room(std::int64_t impacts);

  /// Keeps these storms, too.
  void add(std::span<const StormView> storms);

  /// Forgets the storms.
  void clear();
  /// And gives their memory back.
  void release();

 private:
  StormUpload upload_;
  cuda::DeviceArray<Impact> impacts_;
  std::vector<std::int64_t> ends_;
  StormExtent extent_;
};

}  // namespace bombard
