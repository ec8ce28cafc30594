#include "sim/engines/storm_upload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "kernels/base/share_out.hpp"
#include "kernels/layer/cell_deposit.hpp"
#include "sim/engines/storm_deposits.hpp"

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

std::int64_t packet_count(std::int64_t impacts) {
  return (impacts + packet_size(impacts) - 1) / packet_size(impacts);
}

/// Slabs have a few impacts more in one storm than in another, and asking for more memory waits for
/// all that the device has to do.
std::int64_t with_reserve(std::int64_t count) {
  return count + count / 64 + 1024;
}

}  // namespace

StormUpload::StormUpload(const CellRange& cells, int threads)
    : cells_(cells),
      threads_(threads),
      copies_(2 * threads),
      deposits_(threads),
      cell_deposits_(threads) {}

UploadedStorm StormUpload::send(std::span<const Impact> impacts) {
  UploadedStorm storm;
  std::mutex adding;
  const auto write = [&](std::int64_t begin, std::int64_t size, Impact* to) {
    const StormExtent found =
        write_deposits(slice(impacts, {begin, begin + size}), cells_.begin, to);
    const std::scoped_lock lock(adding);
    storm.extent.add(found);
  };
  storm.deposits = in_packets(deposits_, static_cast<std::int64_t>(impacts.size()), write);
  return storm;
}

UploadedStorm StormUpload::send_by_cell(std::span<const Impact> impacts) {
  UploadedStorm storm;
  const auto count = static_cast<std::int64_t>(impacts.size());
  std::vector<std::vector<Impact>> others_of_packet(static_cast<std::size_t>(packet_count(count)));
  const auto write = [&](std::int64_t begin, std::int64_t size, CellDeposit* to) {
    write_cell_deposits(slice(impacts, {begin, begin + size}), cells_, to,
                        others_of_packet[static_cast<std::size_t>(begin / packet_size(count))]);
  };
  storm.cell_deposits = in_packets(cell_deposits_, count, write);
  storm.extent.add(Impact{cells_.begin, 1});
  storm.extent.add(Impact{cells_.end - 1, 1});
  std::vector<Impact> others;
  for (const std::vector<Impact>& of_packet : others_of_packet) {
    for (const Impact& other : of_packet) {
      storm.extent.add(Impact{cells_.begin + other.position, other.energy});
      others.push_back(other);
    }
  }
  storm.deposits = in_packets(deposits_, static_cast<std::int64_t>(others.size()),
                              [&](std::int64_t begin, std::int64_t size, Impact* to) {
                                std::copy_n(others.data() + begin, size, to);
                              });
  return storm;
}

void StormUpload::release() {
  copies_.used(storm_slot_);
  storm_slot_ ^= 1;
}

/// Sends `count` elements, which write(begin, size, to) makes, a packet at a time, on any thread.
template <class Element, class Write>
std::span<const Element> StormUpload::in_packets(Buffers<Element>& buffers, std::int64_t count,
                                                 const Write& write) {
  cuda::DeviceArray<Element>& device = buffers.device[storm_slot_];
  if (device.size() < count) {
    device.at_least(with_reserve(count), fmt::format("a storm of {} impacts", count));
    copies_.used(storm_slot_);
  }
  copies_.after_use_of(storm_slot_);
  const std::int64_t most = packet_size(count), packets = packet_count(count);
  // Few packets have a slot each, so that storm after storm finds its page-locked memory there.
  const bool slot_for_each = packets <= static_cast<std::int64_t>(buffers.written.size());
  std::atomic<int> started{0};
  cpu::share_out(packets, threads_, [&](const auto& each) {
    copies_.make_device_current();
    int slot_of_thread = 2 * started++;
    each([&](std::int64_t packet) {
      const int slot = slot_for_each ? static_cast<int>(packet) : slot_of_thread;
      const std::int64_t begin = packet * most;
      const std::int64_t size = std::min(count - begin, most);
      copies_.wait(slot);
      cuda::PinnedArray<Element>& written = buffers.written[static_cast<std::size_t>(slot)];
      if (written.size() < size) written.at_least(with_reserve(size));
      write(begin, size, written.span().data());
      copies_.copy(slot, written.span().data(), device.span().data() + begin,
                   size * static_cast<std::int64_t>(sizeof(Element)));
      slot_of_thread ^= 1;
    });
  });
  copies_.before_launches();
  return std::as_const(device).span().first(static_cast<std::size_t>(count));
}

}  // namespace bombard
