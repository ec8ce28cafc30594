#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/device/event.hpp"
#include "sim/engines/storm_view.hpp"

namespace bombard {

/// Brings storms to device memory in a stream of its own, while the device works on those before:
/// one page-locked buffer is written while the other is on its way. Because many programs send
/// little, the first storms do without these buffers, and the driver copies them to memory of its
/// own.
class StormUpload {
 public:
  /// Up to `threads` threads write a buffer.
  explicit StormUpload(int threads);
  ~StormUpload() { cudaStreamDestroy(stream_); }
  StormUpload(const StormUpload&) = delete;
  StormUpload& operator=(const StormUpload&) = delete;

  /// Sends the first of these storms: one, or several small ones, whose impacts follow one another
  /// on the device. Returns views of them there, which the launches that follow may use until
  /// release(). Throws CannotRun if there is no room there.
  std::vector<StormView> send(std::span<const StormView> storms);
  /// Releases the memory; call it after the launches that use the spans.
  void release();

  /// Sends all of these storms to the caller's memory, one behind another. No launch so far uses
  /// it, and no release() follows.
  void send(std::span<const StormView> storms, std::span<Impact> to);
  /// Makes storms to come wait for the launches and allocations so far.
  void wait_for_launches();

 private:
  const Impact* in_buffer(std::span<const Impact> impacts);

  int threads_;
  cudaStream_t stream_;
  cuda::PinnedArray<Impact> buffers_[2];
  cuda::Event arrived_[2], all_arrived_;
  int buffer_ = 0;                       ///< the one written next
  std::int64_t sent_ = 0;                ///< impacts so far
  cuda::DeviceArray<Impact> device_[2];  ///< of two storms in turn
  cuda::Event used_[2];
  int storm_ = 0;
};

}  // namespace bombard
