#include "sim/engines/fast/exact_tiles.hpp"

#include <algorithm>
#include <utility>

namespace bombard {

std::vector<Maximum> ExactTiles::largest_peaks(std::span<const TileRound> rounds,
                                               const KeptImpacts& impacts,
                                               std::span<const float> initial) {
  std::vector<Maximum> maxima(impacts.storms());
  std::vector<CellTile> all_tiles;
  std::size_t all_peaks = 0;
  for (const TileRound& round : rounds) {
    all_tiles.insert(all_tiles.end(), round.tiles.begin(), round.tiles.end());
    all_peaks += round.storms * round.tiles.size();
    if (round.first_storm > 0 || initial.empty()) continue;
    for (CellTile& tile : std::span(all_tiles).last(round.tiles.size())) {
      tile.before = tile.first - part_.held.begin;
    }
  }
  if (all_peaks == 0) return maxima;
  tiles_.at_least(static_cast<std::int64_t>(all_tiles.size()));
  tiles_.copy_from(all_tiles);
  peaks_.at_least(static_cast<std::int64_t>(all_peaks));

  std::span<const CellTile> tiles = std::as_const(tiles_).span();
  std::span<IndexedValue> peaks = peaks_.span();
  for (const TileRound& round : rounds) {
    const bool on_initial = round.first_storm == 0 && !initial.empty();
    launch(round, impacts, on_initial ? initial : std::as_const(before_).span(),
           tiles.first(round.tiles.size()), peaks);
    tiles = tiles.subspan(round.tiles.size());
    peaks = peaks.subspan(round.storms * round.tiles.size());
  }
  std::vector<IndexedValue> found(all_peaks);
  peaks_.copy_to(found);

  const IndexedValue* peak = found.data();
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
void ExactTiles::launch(const TileRound& round, const KeptImpacts& impacts,
                        std::span<const float> before, std::span<const CellTile> tiles,
                        std::span<IndexedValue> peaks) {
  after_.at_least(round.values);
  const std::int64_t begin = impacts.begin_of(round.first_storm);
  std::vector<std::int64_t> ends;
  for (const std::int64_t end : impacts.ends().subspan(round.first_storm, round.storms)) {
    ends.push_back(end - begin);
  }
  const StormExtent& extent = impacts.extent();
  const TileStorms storms{.impacts = impacts.from(begin),
                          .ends = ends,
                          .layer_cells = part_.total,
                          .own_begin = part_.own.begin,
                          .own_end = part_.own.end,
                          .all_count = every_share_counts(rule_, extent, part_.held)};
  with_law(rule_, [&](const auto& rule) {
    cuda::apply_to_tiles(rule, storms, tiles, before, after_.span(),
                         peaks.first(round.storms * tiles.size()));
  });
  std::swap(before_, after_);
}

}  // namespace bombard
