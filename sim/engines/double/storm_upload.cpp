#include "sim/engines/double/storm_upload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

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

/// Impacts that a thread writes and sends at once.
std::int64_t packet_size(std::int64_t impacts) {
  return std::clamp(impacts / packets_of_storm, smallest_packet, largest_packet);
}

/// Slabs have a few impacts more in one storm than in another, and asking for more memory waits for
/// all that the device has to do.
std::int64_t with_reserve(std::int64_t count) {
  return count + count / 64 + 1024;
}

}  // namespace

StormUpload::StormUpload(int threads)
    : threads_(threads), copies_(2 * threads), packets_(2 * static_cast<std::size_t>(threads)) {}

std::vector<StormView> StormUpload::send(std::span<const StormView> storms) {
  auto count = static_cast<std::int64_t>(storms.front().impacts.size());
  std::size_t together = 1;
  for (; together < storms.size(); ++together) {
    const auto more = static_cast<std::int64_t>(storms[together].impacts.size());
    if (count + more > smallest_packet) break;
    count += more;
  }
  cuda::DeviceArray<Impact>& device = device_[storm_slot_];
  if (device.size() < count) {
    device.at_least(with_reserve(count), fmt::format("a storm of {} impacts", count));
    copies_.used(storm_slot_);
  }
  copies_.after_use_of(storm_slot_);
  std::span<const Impact> there = std::as_const(device).span();
  std::vector<StormView> sent;
  Impact* next = together > 1 ? packet_for(0, count) : nullptr;
  for (const StormView& storm : storms.first(together)) {
    sent.push_back({there.first(storm.impacts.size()), storm.extent});
    there = there.subspan(storm.impacts.size());
    if (together > 1) next = std::ranges::copy(storm.impacts, next).out;
  }
  if (together > 1) {
    send_packet(0, 0, count);
  } else {
    send_large(storms.front().impacts);
  }
  copies_.before_launches();
  return sent;
}

void StormUpload::send_large(std::span<const Impact> impacts) {
  const auto count = static_cast<std::int64_t>(impacts.size());
  const std::int64_t most = packet_size(count), packets = (count + most - 1) / most;
  // Few packets have a slot each, so that storm after storm finds its page-locked memory there.
  const bool slot_for_each = packets <= static_cast<std::int64_t>(packets_.size());
  std::atomic<int> started{0};
  cpu::share_out(packets, threads_, [&](const auto& each) {
    copies_.make_device_current();
    int slot_of_thread = 2 * started++;
    each([&](std::int64_t packet) {
      const std::int64_t begin = packet * most;
      const auto own = slice(impacts, {begin, std::min(count, begin + most)});
      const int slot = slot_for_each ? static_cast<int>(packet) : slot_of_thread;
      std::ranges::copy(own, packet_for(slot, static_cast<std::int64_t>(own.size())));
      send_packet(slot, begin, static_cast<std::int64_t>(own.size()));
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

/// Sends a packet of impacts, behind the first `begin` on the device.
void StormUpload::send_packet(int slot, std::int64_t begin, std::int64_t impacts) {
  copies_.copy(slot, packets_[static_cast<std::size_t>(slot)].span().data(),
               device_[storm_slot_].span().data() + begin,
               impacts * static_cast<std::int64_t>(sizeof(Impact)));
}

void StormUpload::release() {
  copies_.used(storm_slot_);
  storm_slot_ ^= 1;
}

}  // namespace bombard
