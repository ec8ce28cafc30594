#include "sim/ranks/layer_output.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/layer/cell_range.hpp"
#include "sim/ranks/slab.hpp"

namespace bombard {

namespace {

/// Bytes of a file: whole blocks, which the rank writes, and those before and behind them, which
/// rank 0 writes.
std::array<CellRange, 3> pieces_of(const CellRange& bytes) {
  constexpr std::int64_t block = SharedFile::block_bytes;
  const std::int64_t begin = std::min((bytes.begin + block - 1) / block * block, bytes.end);
  const std::int64_t end = std::max(bytes.end / block * block, begin);
  return {CellRange{begin, end}, {bytes.begin, begin}, {end, bytes.end}};
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

/// In several ranks, before the first layer.
void LayerOutput::find_file() {
  if (communicator_.is_first() && place_question_) {
    place_ = place_question_().value_or(SharedPlace{});
  }
  broadcast(communicator_, place_);
  file_ = SharedFile::find(place_);
  int see_it = file_ ? 1 : 0;
  add_up(communicator_, std::span(&see_it, 1), std::plus<>());
  if (see_it < communicator_.ranks()) file_.reset();
}

void LayerOutput::write_layer() {
  if (layers_ == 0 && !communicator_.is_alone()) find_file();
  if (!file_) {
    engine_.give_layer(sink_);
  } else {
    std::visit([&](const auto& own) { write_own(std::as_bytes(std::span(own)), sizeof(own[0])); },
               engine_.own_layer());
  }
  ++layers_;
}

/// The cells of this rank's slab.
void LayerOutput::write_own(std::span<const std::byte> own, std::int64_t bytes_of_cell) {
  const auto bytes_of = [&](int rank) {
    const CellRange slab = slab_of_rank(rank, communicator_.ranks(), engine_.cells());
    const auto at = [&](std::int64_t cell) {
      return place_.data_begins_at + (layers_ * engine_.cells() + cell) * bytes_of_cell;
    };
    return CellRange{at(slab.begin), at(slab.end)};
  };
  const CellRange mine = bytes_of(communicator_.rank());
  const auto of_mine = [&](const CellRange& piece) {
    return slice(own, piece.counted_from(mine.begin));
  };
  const auto pieces = pieces_of(mine);
  file_->write(pieces[0].begin, as_text(of_mine(pieces[0])));
  for (const std::size_t end : {1U, 2U}) {
    const auto ranks = static_cast<std::size_t>(communicator_.ranks());
    std::vector<CellRange> places(communicator_.is_first() ? ranks : 0);
    std::vector<std::vector<std::byte>> ends(ranks);
    std::vector<std::span<const std::byte>> to(ranks);
    to[0] = of_mine(pieces[end]);
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      places[rank] = pieces_of(bytes_of(static_cast<int>(rank)))[end];
      ends[rank].resize(static_cast<std::size_t>(places[rank].count()));
    }
    communicator_.exchange(to, {ends.begin(), ends.end()});
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      file_->write(places[rank].begin, as_text(ends[rank]));
    }
  }
}

void LayerOutput::close() {
  if (!file_) return;
  file_->close();
  communicator_.meet();
}

}  // namespace bombard
