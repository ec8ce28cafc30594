#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/copy_stream.hpp"
#include "kernels/device/device_memory.hpp"
#include "sim/engines/storm_view.hpp"

namespace bombard {

/// Brings storms to device memory while the device works on those before. Large storms go there in
/// packets: each thread copies one to page-locked memory, which is slow to get and so stays small,
/// while another of its own is on its way. Many programs send little: the first storms do without
/// page-locked memory, and the driver copies them to its own.
class StormUpload {
 public:
  /// Uses up to `threads` threads.
  explicit StormUpload(int threads);

  /// Sends the first of these storms: one, or several small ones, whose impacts follow one another
  /// on the device. Returns them as they are there: launches that follow may use them until
  /// release(). Throws CannotRun without room there.
  std::vector<StormView> send(std::span<const StormView> storms);
  /// Releases the memory; call it after the launches that use the spans.
  void release();

  /// Sends all of these storms to the caller's memory, one behind another. No launch so far uses
  /// it, and no release() follows.
  void send(std::span<const StormView> storms, std::span<Impact> to);
  /// Storms to come wait for the launches and allocations so far.
  void wait_for_launches();

 private:
  void copy(std::span<const StormView> storms, Impact* to);
  void copy_large(std::span<const Impact> impacts, Impact* to);
  Impact* packet_for(int slot, std::int64_t impacts);

  int threads_;
  cuda::CopyStream copies_;
  std::vector<Impact> pageable_;                    ///< small storms together, at first
  std::vector<cuda::PinnedArray<Impact>> packets_;  ///< two for each thread
  cuda::DeviceArray<Impact> device_[2];             ///< one for each of two storms
  int storm_slot_ = 0;                              ///< of a storm on the device
  std::int64_t bytes_ = 0;                          ///< of all storms so far
};

}  // namespace bombard
