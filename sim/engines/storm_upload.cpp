#include "sim/engines/storm_upload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "kernels/base/share_out.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard {

namespace {

// Measured on an H200 (docs/journal.md, The fast method on the GPU): a thread takes 30 us to begin,
// and a copy 8 us beside its bytes. Small storms so have few threads, and packets of large ones are
// so large that the 8 us do not show.
constexpr std::int64_t packets_of_storm = 8;
constexpr std::int64_t smallest_packet = std::int64_t{1} << 15;
constexpr std::int64_t largest_packet = std::int64_t{1} << 17;
// One thread has copied fewer than these by the time that another has begun.
constexpr std::int64_t packets_for_threads = 4;

// Up to this number of bytes in all, the driver's copy from pageable memory, which its call waits
// for, takes less time than the allocation of page-locked memory.
constexpr std::int64_t most_pageable = std::int64_t{1} << 26;

/// Impacts that a thread writes and sends at once.
std::int64_t packet_size(std::int64_t impacts) {
  return std::clamp(impacts / packets_of_storm, smallest_packet, largest_packet);
}

/// Slabs have a few impacts more in one storm than in another, and asking for more memory waits for
/// all that the device has to do.
std::int64_t with_reserve(std::int64_t count) {
  return count + count / 64 + 1024;
}

std::int64_t impacts_of(std::span<const StormView> storms) {
  std::size_t impacts = 0;
  for (const StormView& storm : storms) impacts += storm.impacts.size();
  return static_cast<std::int64_t>(impacts);
}

/// The first storm, or small ones that fill a packet together.
std::span<const StormView> first_packet(std::span<const StormView> storms) {
  std::size_t together = 1;
  std::int64_t impacts = impacts_of(storms.first(1));
  for (; together < storms.size(); ++together) {
    impacts += impacts_of(storms.subspan(together, 1));
    if (impacts > smallest_packet) break;
  }
  return storms.first(together);
}

}  // namespace

StormUpload::StormUpload(int threads)
    : threads_(threads), copies_(2 * threads), packets_(2 * static_cast<std::size_t>(threads)) {}

std::vector<StormView> StormUpload::send(std::span<const StormView> storms) {
  storms = first_packet(storms);
  const std::int64_t count = impacts_of(storms);
  cuda::DeviceArray<Impact>& device = device_[storm_slot_];
  if (device.size() < count) {
    device.at_least(with_reserve(count), fmt::format("a storm of {} impacts", count));
    copies_.used(storm_slot_);
  }
  copies_.after_use_of(storm_slot_);
  Impact* there = device.span().data();
  copy(storms, there);
  copies_.before_launches();
  std::vector<StormView> sent;
  for (const StormView& storm : storms) {
    sent.push_back({{there, storm.impacts.size()}, storm.extent});
    there += storm.impacts.size();
  }
  return sent;
}

void StormUpload::release() {
  copies_.used(storm_slot_);
  storm_slot_ ^= 1;
}

void StormUpload::send(std::span<const StormView> storms, std::span<Impact> to) {
  for (std::span<const StormView> next; !storms.empty(); storms = storms.subspan(next.size())) {
    next = first_packet(storms);
    copy(next, to.data());
    to = to.subspan(static_cast<std::size_t>(impacts_of(next)));
  }
  copies_.before_launches();
}

void StormUpload::wait_for_launches() {
  copies_.used(0);
  copies_.after_use_of(0);
}

/// Copies one storm, or small ones that fill a packet together.
void StormUpload::copy(std::span<const StormView> storms, Impact* to) {
  const std::int64_t count = impacts_of(storms);
  const auto bytes = count * static_cast<std::int64_t>(sizeof(Impact));
  bytes_ += bytes;
  const bool is_pageable = bytes_ <= most_pageable;
  if (storms.size() == 1 && is_pageable) {
    copies_.copy(0, storms.front().impacts.data(), to, bytes);
    return;
  }
  if (storms.size() == 1) {
    copy_large(storms.front().impacts, to);
    return;
  }
  if (is_pageable) pageable_.resize(std::max(pageable_.size(), static_cast<std::size_t>(count)));
  Impact* const packet = is_pageable ? pageable_.data() : packet_for(0, count);
  Impact* next = packet;
  for (const StormView& storm : storms) next = std::ranges::copy(storm.impacts, next).out;
  copies_.copy(0, packet, to, bytes);
}

void StormUpload::copy_large(std::span<const Impact> impacts, Impact* to) {
  const auto count = static_cast<std::int64_t>(impacts.size());
  const std::int64_t most = packet_size(count), packets = (count + most - 1) / most;
  // Few packets have a slot each, so that storm after storm finds its page-locked memory there.
  const bool slot_for_each = packets <= static_cast<std::int64_t>(packets_.size());
  std::atomic<int> started{0};
  const int threads = packets < packets_for_threads ? 1 : threads_;
  cpu::share_out(packets, threads, [&](const auto& each) {
    copies_.make_device_current();
    int slot_of_thread = 2 * started++;
    each([&](std::int64_t packet) {
      const std::int64_t begin = packet * most;
      const auto own = slice(impacts, {begin, std::min(count, begin + most)});
      const int slot = slot_for_each ? static_cast<int>(packet) : slot_of_thread;
      Impact* const memory = packet_for(slot, static_cast<std::int64_t>(own.size()));
      std::ranges::copy(own, memory);
      copies_.copy(slot, memory, to + begin, static_cast<std::int64_t>(own.size_bytes()));
      slot_of_thread ^= 1;
    });
  });
}

/// Page-locked memory for a packet of `impacts` impacts, once its last copy has arrived.
Impact* StormUpload::packet_for(int slot, std::int64_t impacts) {
  copies_.wait(slot);
  cuda::PinnedArray<Impact>& packet = packets_[static_cast<std::size_t>(slot)];
  if (packet.size() < impacts) packet.at_least(with_reserve(impacts));
  return packet.span().data();
}

}  // namespace bombard
