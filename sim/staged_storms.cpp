#include "sim/staged_storms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "kernels/share_out.hpp"

namespace bombard {

namespace {

constexpr std::int64_t piece_impacts = std::int64_t{1} << 22;
// A thread takes so many at once.
constexpr std::int64_t block_impacts = std::int64_t{1} << 16;

}  // namespace

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
  staged.deposits = in_pieces(deposits_, static_cast<std::int64_t>(impacts.size()), write);
  return staged;
}

StagedStorm StagedStorms::send_by_cell(std::span<const Impact> impacts) {
  StagedStorm staged;
  std::mutex adding;
  const auto count = static_cast<std::int64_t>(impacts.size());
  std::vector<std::vector<Deposit>> others_of_block(
      static_cast<std::size_t>(count / block_impacts + 1));
  const auto write = [&](std::int64_t begin, std::int64_t size, CellDeposit* to) {
    const StormExtent found = write_cell_deposits(
        impacts.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)), first_,
        cells_, to, others_of_block[static_cast<std::size_t>(begin / block_impacts)]);
    const std::scoped_lock lock(adding);
    staged.extent.add(found);
  };
  staged.cell_deposits = in_pieces(cell_deposits_, count, write);
  std::vector<Deposit> others;
  for (const std::vector<Deposit>& of_block : others_of_block) {
    others.insert(others.end(), of_block.begin(), of_block.end());
  }
  staged.deposits = in_pieces(deposits_, static_cast<std::int64_t>(others.size()),
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
std::span<const Element> StagedStorms::in_pieces(Buffers<Element>& buffers, std::int64_t count,
                                                 const Write& write) {
  cuda::DeviceArray<Element>& device = buffers.device[storm_slot_];
  if (device.at_least(count, fmt::format("a storm of {} impacts", count))) {
    copies_.used(storm_slot_);
  }
  int slot = storm_slot_;
  for (std::int64_t begin = 0; begin < count; begin += piece_impacts) {
    const std::int64_t size = std::min(count - begin, piece_impacts);
    copies_.wait(slot);
    cuda::PinnedArray<Element>& piece = buffers.piece[slot];
    piece.at_least(size);
    const std::int64_t blocks = (size + block_impacts - 1) / block_impacts;
    cpu::share_out(blocks, threads_, [&](const auto& each) {
      each([&](std::int64_t block) {
        const std::int64_t from = block * block_impacts;
        write(begin + from, std::min(size - from, block_impacts), piece.span().data() + from);
      });
    });
    copies_.copy(slot, piece.span().data(), device.span().data() + begin,
                 size * static_cast<std::int64_t>(sizeof(Element)));
    slot ^= 1;
  }
  return std::as_const(device).span().first(static_cast<std::size_t>(count));
}

}  // namespace bombard
