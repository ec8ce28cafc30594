#include "sim/ranks/layers_file_of_ranks.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <string_view>
#include <vector>

#include "kernels/layer/cell_range.hpp"
#include "sim/ranks/agreement.hpp"
#include "sim/ranks/slab.hpp"

namespace bombard {

namespace {

/// Bytes of a file, as ranges.
struct Pieces {
  CellRange blocks;               ///< whole ones, which the rank writes
  std::array<CellRange, 2> ends;  ///< before and behind them, which rank 0 writes
};

Pieces pieces_of(const CellRange& bytes) {
  constexpr std::int64_t block = SharedFile::block_bytes;
  const std::int64_t begin = std::min((bytes.begin + block - 1) / block * block, bytes.end);
  const std::int64_t end = std::max(bytes.end / block * block, begin);
  return {{begin, end}, {CellRange{bytes.begin, begin}, CellRange{end, bytes.end}}};
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

LayersFileOfRanks::LayersFileOfRanks(Communicator& communicator, SharedPlace place)
    : communicator_(communicator), place_(place) {
  broadcast(communicator_, place_);
  do_together(communicator_, [&] { file_ = SharedFile::find(place_); });
  const int sees = file_ ? 1 : 0;
  seen_by_all_ = of_all_ranks(communicator_, sees, std::plus<>()) == communicator_.ranks();
}

void LayersFileOfRanks::write(const Row& row, std::span<const std::byte> own) {
  const auto bytes_of = [&](int rank) {
    const CellRange slab = slab_of_rank(rank, communicator_.ranks(), row.cells);
    const auto at = [&](std::int64_t cell) {
      return place_.data_begins_at + (row.cells_before + cell) * row.bytes_of_cell;
    };
    return CellRange{at(slab.begin), at(slab.end)};
  };
  const CellRange mine = bytes_of(communicator_.rank());
  const auto of_mine = [&](const CellRange& piece) {
    return slice(own, piece.counted_from(mine.begin));
  };
  const Pieces pieces = pieces_of(mine);
  if (communicator_.rank() != 0) {
    for (const CellRange& end : pieces.ends) {
      if (end.count() > 0) communicator_.send(0, of_mine(end));
    }
    do_together(communicator_,
                [&] { file_->write(pieces.blocks.begin, as_text(of_mine(pieces.blocks))); });
    return;
  }
  do_together(communicator_, [&] {
    // The others send what they have, whether or not it can be written.
    std::exception_ptr failure;
    const auto write_piece = [&](std::int64_t first, std::span<const std::byte> bytes) {
      try {
        if (!failure) file_->write(first, as_text(bytes));
      } catch (const std::exception&) {
        failure = std::current_exception();
      }
    };
    std::vector<std::byte> received;
    for (int rank = 1; rank < communicator_.ranks(); ++rank) {
      for (const CellRange& end : pieces_of(bytes_of(rank)).ends) {
        if (end.count() == 0) continue;
        received.resize(static_cast<std::size_t>(end.count()));
        communicator_.receive(rank, received);
        write_piece(end.begin, received);
      }
    }
    write_piece(mine.begin, own);
    if (failure) std::rethrow_exception(failure);
  });
}

void LayersFileOfRanks::close() {
  do_together(communicator_, [&] { file_->close(); });
}

}  // namespace bombard
