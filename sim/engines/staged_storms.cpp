#include "sim/engines/staged_storms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "kernels/base/share_out.hpp"
#include "sim/engines/storm_deposits.hpp"

namespace bombard {

namespace {

/// Impacts that a thread writes and sends at once: few threads, which take long to begin, for small
/// storms, and of large ones so many that what a copy costs beside its bytes does not show.
std::int64_t block_size(std::int64_t impacts) {
  return std::clamp(impacts / 8, std::int64_t{1} << 15, std::int64_t{1} << 17);
}

std::int64_t block_count(std::int64_t impacts) {
  return (impacts + block_size(impacts) - 1) / block_size(impacts);
}

}  // namespace

StagedStorms::StagedStorms(const PartWithMargin& cells, int threads)
    : first_(cells.first),
      cells_(cells.count),
      threads_(threads),
      copies_(2 * threads),
      deposits_(threads),
      cell_deposits_(threads) {}

StagedStorm StagedStorms::send(std::span<const Impact> impacts) {
  StagedStorm staged;
  std::mutex adding;
  const auto write = [&](std::int64_t begin, std::int64_t size, Deposit* to) {
    const StormExtent found = write_deposits(
        impacts.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)), first_,
        to);
    const std::scoped_lock lock(adding);
    staged.extent.add(found);
  };
  staged.deposits = in_blocks(deposits_, static_cast<std::int64_t>(impacts.size()), write);
  return staged;
}

StagedStorm StagedStorms::send_by_cell(std::span<const Impact> impacts) {
  StagedStorm staged;
  const auto count = static_cast<std::int64_t>(impacts.size());
  std::vector<std::vector<Deposit>> others_of_block(static_cast<std::size_t>(block_count(count)));
  const auto write = [&](std::int64_t begin, std::int64_t size, CellDeposit* to) {
    write_cell_deposits(
        impacts.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)), first_,
        cells_, to, others_of_block[static_cast<std::size_t>(begin / block_size(count))]);
  };
  staged.cell_deposits = in_blocks(cell_deposits_, count, write);
  staged.extent.add(Impact{first_, 1});
  staged.extent.add(Impact{first_ + cells_ - 1, 1});
  std::vector<Deposit> others;
  for (const std::vector<Deposit>& of_block : others_of_block) {
    for (const Deposit& other : of_block) {
      staged.extent.add(Impact{first_ + other.position, other.energy});
      others.push_back(other);
    }
  }
  staged.deposits = in_blocks(deposits_, static_cast<std::int64_t>(others.size()),
                              [&](std::int64_t begin, std::int64_t size, Deposit* to) {
                                std::copy_n(others.data() + begin, size, to);
                              });
  return staged;
}

void StagedStorms::release() {
  copies_.used(storm_slot_);
  storm_slot_ ^= 1;
}

/// Sends `count` elements, which write(begin, size, to) makes, a block at a time, on any thread.
template <class Element, class Write>
std::span<const Element> StagedStorms::in_blocks(Buffers<Element>& buffers, std::int64_t count,
                                                 const Write& write) {
  cuda::DeviceArray<Element>& device = buffers.device[storm_slot_];
  if (device.at_least(count, fmt::format("a storm of {} impacts", count))) {
    copies_.used(storm_slot_);
  }
  copies_.after_use_of(storm_slot_);
  const std::int64_t most = block_size(count);
  std::atomic<int> started{0};
  cpu::share_out(block_count(count), threads_, [&](const auto& each) {
    int slot = 2 * started++;
    each([&](std::int64_t block) {
      const std::int64_t begin = block * most;
      const std::int64_t size = std::min(count - begin, most);
      copies_.wait(slot);
      cuda::PinnedArray<Element>& written = buffers.written[static_cast<std::size_t>(slot)];
      written.at_least(size);
      write(begin, size, written.span().data());
      copies_.copy(slot, written.span().data(), device.span().data() + begin,
                   size * static_cast<std::int64_t>(sizeof(Element)));
      slot ^= 1;
    });
  });
  copies_.before_launches();
  return std::as_const(device).span().first(static_cast<std::size_t>(count));
}

}  // namespace bombard
