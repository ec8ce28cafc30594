#include "sim/engines/exact_tiles.hpp"

#include <algorithm>
#include <utility>

namespace bombard {

template <class Law>
std::vector<Maximum> ExactTiles<Law>::largest_peaks(std::span<const TileRound> rounds,
                                                    const KeptImpacts& impacts,
                                                    std::span<const float> initial) {
  std::vector<Maximum> maxima(impacts.storms());
  std::size_t all_tiles = 0, all_peaks = 0;
  for (const TileRound& round : rounds) {
    all_tiles += round.tiles.size();
    all_peaks += round.storms * round.tiles.size();
  }
  if (all_peaks == 0) return maxima;
  tiles_.at_least(static_cast<std::int64_t>(all_tiles));
  peaks_.at_least(static_cast<std::int64_t>(all_peaks));

  std::span<CellTile> tiles = tiles_.span();
  std::span<IndexedValue> peaks = peaks_.span();
  for (const TileRound& round : rounds) {
    const std::span<CellTile> of_round = tiles.first(round.tiles.size());
    std::ranges::copy(round.tiles, of_round.begin());
    std::span<const float> before = std::as_const(before_).span();
    if (round.first_storm == 0 && !initial.empty()) {
      before = initial;
      for (CellTile& tile : of_round) tile.before = tile.first - part_.held.begin;
    }
    launch(round, impacts, before, of_round, peaks);
    tiles = tiles.subspan(round.tiles.size());
    peaks = peaks.subspan(round.storms * round.tiles.size());
  }
  cuda::synchronize();

  const IndexedValue* peak = peaks_.span().data();
  for (const TileRound& round : rounds) {
    for (std::size_t storm = 0; storm < round.storms; ++storm) {
      Maximum& best = maxima[round.first_storm + storm];
      for (std::size_t tile = 0; tile < round.tiles.size(); ++tile, ++peak) {
        if (peak->index >= 0) best = larger(best, {peak->index, peak->value});
      }
    }
  }
  return maxima;
}

/// Queues a round, which goes on from the values `before`.
template <class Law>
void ExactTiles<Law>::launch(const TileRound& round, const KeptImpacts& impacts,
                             std::span<const float> before, std::span<const CellTile> tiles,
                             std::span<IndexedValue> peaks) {
  after_.at_least(round.values);
  const std::int64_t begin = impacts.begin_of(round.first_storm);
  std::vector<std::int64_t> ends;
  for (const std::int64_t end : impacts.ends().subspan(round.first_storm, round.storms)) {
    ends.push_back(end - begin);
  }
  const StormExtent& extent = impacts.extent();
  cuda::apply_to_tiles(rule_,
                       {.deposits = impacts.from(begin),
                        .origin = part_.held.begin,
                        .ends = ends,
                        .layer_cells = part_.total,
                        .farthest = std::max(extent.highest, part_.total - 1) -
                                    std::min<std::int64_t>(extent.lowest, 0),
                        .own_begin = part_.own.begin,
                        .own_end = part_.own.end,
                        .all_count = every_share_counts(rule_, extent, part_.held)},
                       tiles, before, after_.span(), peaks.first(round.storms * tiles.size()));
  std::swap(before_, after_);
}

template class ExactTiles<SquareRootLaw>;
template class ExactTiles<GeneralLaw>;

}  // namespace bombard
