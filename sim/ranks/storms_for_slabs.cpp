#include "sim/ranks/storms_for_slabs.hpp"

#include <algorithm>

#include "inputs/byte_count.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

WholeStorm whole_storm(const Storm& storm, std::int64_t cells, int threads) {
  WholeStorm whole{extent_of(storm.impacts, threads), std::ssize(storm.impacts)};
  const CellRange layer{0, cells};
  if (whole.extent.lowest < layer.begin || whole.extent.highest >= layer.end) {
    whole.outside = std::ranges::count_if(
        storm.impacts, [&](const Impact& impact) { return !layer.contains(impact.position); });
  }
  return whole;
}

std::vector<Impact> impacts_of_slab(Communicator& communicator, std::span<const Impact> of_rank_0,
                                    std::int64_t count, const CellRange& positions) {
  constexpr std::int64_t most_at_once = std::int64_t{1} << 20;
  const auto is_needed = [&](const Impact& impact) { return positions.contains(impact.position); };
  // All slabs have about the same number of impacts.
  std::int64_t room = positions == all_positions ? count : count / communicator.ranks();
  require_host_memory(byte_count({room, sizeof(Impact), communicator.ranks_on_host()}),
                      "the impacts in each rank of a machine");
  communicator.meet();  // all ranks of a machine ask before one of them takes any
  std::vector<Impact> kept, piece;
  kept.reserve(static_cast<std::size_t>(room));
  for (CellRange next{0, 0}; next.end < count;) {
    next = {next.end, std::min(next.end + most_at_once, count)};
    piece.resize(static_cast<std::size_t>(next.count()));
    if (communicator.is_first()) std::ranges::copy(slice(of_rank_0, next), piece.begin());
    communicator.broadcast(std::as_writable_bytes(std::span(piece)));
    const std::int64_t needed = std::ssize(kept) + std::ranges::count_if(piece, is_needed);
    if (needed > room) {  // the storm hits this slab more than others
      room = std::max(needed, 2 * room);
      require_host_memory(byte_count({room, sizeof(Impact)}), "the impacts of a rank");
      kept.reserve(static_cast<std::size_t>(room));
    }
    std::ranges::copy_if(piece, std::back_inserter(kept), is_needed);
  }
  return kept;
}

}  // namespace bombard
