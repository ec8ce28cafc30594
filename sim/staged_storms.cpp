#include "sim/staged_storms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/device.hpp"
#include "sim/piece_pipeline.hpp"

namespace bombard {

namespace {

// A thread takes so many impacts at once.
constexpr std::int64_t block_impacts = std::int64_t{1} << 14;
constexpr std::int64_t blocks_a_piece = 64;
constexpr std::int64_t piece_impacts = blocks_a_piece * block_impacts;
// To start a thread takes as long as to write so many.
constexpr std::int64_t blocks_a_thread = 8;

}  // namespace

StagedStorm StagedStorms::send(std::span<const Impact> impacts) {
  StagedStorm staged;
  const auto write = [&](std::int64_t begin, std::int64_t size, Deposit* to) {
    const StormExtent found = write_deposits(
        impacts.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)), first_,
        to);
    const std::scoped_lock lock(adding_);
    staged.extent.add(found);
  };
  staged.deposits = in_pieces(deposits_, static_cast<std::int64_t>(impacts.size()), write);
  return staged;
}

StagedStorm StagedStorms::send_by_cell(std::span<const Impact> impacts) {
  StagedStorm staged;
  const auto count = static_cast<std::int64_t>(impacts.size());
  std::vector<std::vector<Deposit>> others_of_block(
      static_cast<std::size_t>(count / block_impacts + 1));
  const auto write = [&](std::int64_t begin, std::int64_t size, CellDeposit* to) {
    const StormExtent found = write_cell_deposits(
        impacts.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)), first_,
        cells_, to, others_of_block[static_cast<std::size_t>(begin / block_impacts)]);
    const std::scoped_lock lock(adding_);
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

/// Sends `count` elements, which write(begin, size, to) makes, a block at a time.
template <class Element, class Write>
std::span<const Element> StagedStorms::in_pieces(Buffers<Element>& buffers, std::int64_t count,
                                                 const Write& write) {
  cuda::DeviceArray<Element>& device = buffers.device[storm_slot_];
  if (count > device.size()) {
    device = cuda::DeviceArray<Element>();
    cuda::require_device_memory(count * static_cast<std::int64_t>(sizeof(Element)),
                                fmt::format("a storm of {} impacts", count));
    device = cuda::DeviceArray<Element>(count);
    copies_.used(storm_slot_);
  }
  const auto slot = [&](std::int64_t piece) { return static_cast<int>((storm_slot_ + piece) % 2); };
  for (std::int64_t piece = 0; piece < 2 && piece * piece_impacts < count; ++piece) {
    copies_.wait(slot(piece));
    cuda::PinnedArray<Element>& pinned = buffers.piece[slot(piece)];
    const std::int64_t size = std::min(count - piece * piece_impacts, piece_impacts);
    if (size > pinned.size()) pinned = cuda::PinnedArray<Element>(size);
  }

  const auto write_block = [&](std::int64_t block) {
    const std::int64_t piece = block / blocks_a_piece;
    const std::int64_t begin = block * block_impacts;
    write(begin, std::min(count - begin, block_impacts),
          buffers.piece[slot(piece)].span().data() + (begin - piece * piece_impacts));
  };
  const auto send = [&](std::int64_t piece) {
    const std::int64_t begin = piece * piece_impacts;
    copies_.copy(
        slot(piece), buffers.piece[slot(piece)].span().data(), device.span().data() + begin,
        std::min(count - begin, piece_impacts) * static_cast<std::int64_t>(sizeof(Element)));
  };
  const std::int64_t blocks = (count + block_impacts - 1) / block_impacts;
  write_and_send(blocks, blocks_a_piece,
                 static_cast<int>(std::min<std::int64_t>(threads_, blocks / blocks_a_thread)),
                 write_block, send, [&](std::int64_t piece) { copies_.wait(slot(piece)); });
  return std::as_const(device).span().first(static_cast<std::size_t>(count));
}

}  // namespace bombard
