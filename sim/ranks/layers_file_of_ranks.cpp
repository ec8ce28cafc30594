#include "sim/ranks/layers_file_of_ranks.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "kernels/layer/cell_range.hpp"
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
  file_ = SharedFile::find(place_);
  const int sees = file_ ? 1 : 0;
  seen_by_all_ = sum_of_all(communicator_, sees, std::plus<>()) == communicator_.ranks();
}

void LayersFileOfRanks::write(std::int64_t cells_before, std::int64_t cells,
                              std::int64_t bytes_of_cell, std::span<const std::byte> own) {
  const auto bytes_of = [&](int rank) {
    const CellRange slab = slab_of_rank(rank, communicator_.ranks(), cells);
    const auto at = [&](std::int64_t cell) {
      return place_.data_begins_at + (cells_before + cell) * bytes_of_cell;
    };
    return CellRange{at(slab.begin), at(slab.end)};
  };
  const CellRange mine = bytes_of(communicator_.rank());
  const auto of_mine = [&](const CellRange& piece) {
    return slice(own, piece.counted_from(mine.begin));
  };
  const Pieces pieces = pieces_of(mine);
  file_->write(pieces.blocks.begin, as_text(of_mine(pieces.blocks)));
  for (const std::size_t end : {0U, 1U}) {
    const auto ranks = static_cast<std::size_t>(communicator_.ranks());
    std::vector<CellRange> places(communicator_.is_first() ? ranks : 0);
    std::vector<std::vector<std::byte>> ends(ranks);
    std::vector<std::span<const std::byte>> to(ranks);
    to[0] = of_mine(pieces.ends[end]);
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      places[rank] = pieces_of(bytes_of(static_cast<int>(rank))).ends[end];
      ends[rank].resize(static_cast<std::size_t>(places[rank].count()));
    }
    communicator_.exchange(to, {ends.begin(), ends.end()});
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      file_->write(places[rank].begin, as_text(ends[rank]));
    }
  }
}

void LayersFileOfRanks::close() {
  file_->close();
  communicator_.meet();
}

}  // namespace bombard
