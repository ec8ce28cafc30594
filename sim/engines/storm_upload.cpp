#include "sim/engines/storm_upload.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/base/share_out.hpp"
#include "kernels/device/cuda_check.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard {

namespace {

// Numbers of impacts (docs/journal.md, Plain chunks). A copy takes 8 us besides the time for its
// bytes, a thread takes 30 us to begin, and page-locked memory takes 0.5 ms for each MB.
constexpr std::int64_t in_a_buffer = std::int64_t{1} << 18, written_at_once = 1 << 15;
constexpr std::int64_t most_pageable = std::int64_t{1} << 22;

}  // namespace

StormUpload::StormUpload(int threads) : threads_(threads) {
  cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
}

std::span<const Impact> StormUpload::send(std::span<const Impact> storm) {
  const auto count = std::ssize(storm);
  // With room for some more, because asking for memory waits for everything that the device has to
  // do.
  if (device_.size() < count) {
    device_.at_least(count + count / 64 + 1024, "a storm of " + std::to_string(count) + " impacts");
  }
  wait_for_launches();
  send(storm, device_.span());
  return std::as_const(device_).span().first(storm.size());
}

void StormUpload::send(std::span<const Impact> storm, std::span<Impact> to) {
  while (!storm.empty()) {
    const auto part = storm.first(std::min(storm.size(), static_cast<std::size_t>(in_a_buffer)));
    sent_ += std::ssize(part);
    const Impact* const from = sent_ <= most_pageable ? part.data() : in_buffer(part);
    cuda::check(
        cudaMemcpyAsync(to.data(), from, part.size_bytes(), cudaMemcpyHostToDevice, stream_),
        "sending impacts");
    arrived_[buffer_].record(stream_);
    buffer_ ^= 1;
    storm = storm.subspan(part.size());
    to = to.subspan(part.size());
  }
  all_arrived_.record(stream_);
  all_arrived_.hold_back(nullptr);
}

void StormUpload::wait_for_launches() {
  all_arrived_.record();
  all_arrived_.hold_back(stream_);
}

/// Writes the impacts into the next buffer, once the last ones in it have arrived.
const Impact* StormUpload::in_buffer(std::span<const Impact> impacts) {
  arrived_[buffer_].wait();
  buffers_[buffer_].at_least(in_a_buffer);
  Impact* const to = buffers_[buffer_].span().data();
  const auto count = std::ssize(impacts);
  cpu::share_out((count + written_at_once - 1) / written_at_once, threads_, [&](const auto& each) {
    each([&](std::int64_t part) {
      const std::int64_t begin = part * written_at_once;
      std::ranges::copy(slice(impacts, {begin, std::min(count, begin + written_at_once)}),
                        to + begin);
    });
  });
  return to;
}

}  // namespace bombard
