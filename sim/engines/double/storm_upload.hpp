#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/device/upload.hpp"
#include "sim/engines/storm_view.hpp"

namespace bombard {

/// Brings storm after storm to device memory. Large storms go there in packets: each thread copies
/// one to page-locked memory, which is slow to get and so stays small, while another of its own is
/// on its way.
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

 private:
  void send_large(std::span<const Impact> impacts);
  Impact* packet_for(int slot, std::int64_t impacts);
  void send_packet(int slot, std::int64_t begin, std::int64_t impacts);

  int threads_;
  cuda::CopyStream copies_;
  std::vector<cuda::PinnedArray<Impact>> packets_;  ///< two for each thread
  cuda::DeviceArray<Impact> device_[2];             ///< one for each of two storms
  int storm_slot_ = 0;                              ///< of a storm on the device
};

}  // namespace bombard
