#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/event.hpp"

namespace bombard {

/// Brings storms to device memory in a stream of its own: one page-locked buffer is written while
/// the other is on its way. Because many programs send little, the first storms do without these
/// buffers, and the driver copies them to memory of its own.
class StormUpload {
 public:
  /// Up to `threads` threads write a buffer.
  explicit StormUpload(int threads);
  ~StormUpload() { cudaStreamDestroy(stream_); }
  StormUpload(const StormUpload&) = delete;
  StormUpload& operator=(const StormUpload&) = delete;

  /// Sends a storm once all launches so far are done, and returns where the launches that follow
  /// find it, until the next call. Throws CannotRun if there is no room there.
  std::span<const Impact> send(std::span<const Impact> storm);

  /// Sends a storm to the caller's memory, which no launch so far uses.
  void send(std::span<const Impact> storm, std::span<Impact> to);
  /// Makes storms to come wait for the launches and allocations so far.
  void wait_for_launches();

 private:
  const Impact* in_buffer(std::span<const Impact> impacts);

  int threads_;
  cudaStream_t stream_;
  cuda::PinnedArray<Impact> buffers_[2];
  cuda::Event arrived_[2], all_arrived_;
  int buffer_ = 0;                    ///< the one written next
  std::int64_t sent_ = 0;             ///< impacts so far
  cuda::DeviceArray<Impact> device_;  ///< the last storm, unless it is in the caller's memory
};

}  // namespace bombard
