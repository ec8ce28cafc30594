#include "sim/engines/tile_plan.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace bombard {

namespace {

struct PlacedRange {
  CellRange range;
  std::int64_t place;  ///< of its first cell's value
};

/// Where the value of a cell is, which lies in one of the ranges.
std::int64_t place_of(const std::vector<PlacedRange>& ranges, std::int64_t cell) {
  const auto behind = std::ranges::upper_bound(
      ranges, cell, {}, [](const PlacedRange& placed) { return placed.range.first; });
  return std::prev(behind)->place + (cell - std::prev(behind)->range.first);
}

// The fewest cells that keep a multiprocessor busy.
constexpr std::int64_t fewest_cells = 8;

/// What tiles of up to `width` cells are apart: every storm uses up a cell at both ends of a tile,
/// and a peak needs its neighbours.
std::int64_t step_of(std::int64_t width, std::size_t storms) {
  return width - 2 * static_cast<std::int64_t>(storms) - 2;
}

/// The width of tiles for which a device that takes so many at once goes through the fewest cells,
/// one tile after the other.
std::int64_t best_width(std::span<const CellRange> ranges, std::size_t storms,
                        std::int64_t at_once) {
  std::int64_t best = CellTile::most_cells;
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  const auto narrowest = std::max(fewest_cells, 2 * static_cast<std::int64_t>(storms) + 4);
  for (std::int64_t width = narrowest; width <= CellTile::most_cells; width += 4) {
    const std::int64_t step = step_of(width, storms);
    std::int64_t tiles = 0;
    for (const CellRange& range : ranges) {
      const std::int64_t more = std::max<std::int64_t>(range.count() - width, 0);
      tiles += 1 + (more + step - 1) / step;
    }
    const std::int64_t cells = (tiles + at_once - 1) / at_once * width;
    if (cells < fewest) {
      fewest = cells;
      best = width;
    }
  }
  return best;
}

}  // namespace

std::vector<TileRound> plan_tiles(std::vector<std::vector<CellRange>> wanted, std::int64_t total,
                                  std::int64_t at_once) {
  // What is wanted after a storm stands on one cell more on either side before it.
  for (std::size_t storm = wanted.size(); storm-- > 1;) {
    std::vector<CellRange>& before = wanted[storm - 1];
    std::vector<CellRange> all;
    std::ranges::merge(before, wider(wanted[storm], 1, total), std::back_inserter(all), {},
                       &CellRange::first, &CellRange::first);
    before = wider(all, 0, total);
  }

  std::vector<TileRound> rounds;
  std::vector<PlacedRange> known;
  for (std::size_t storm = 0; storm < wanted.size() && !wanted[storm].empty();) {
    const std::size_t storms = std::min<std::size_t>(TileStorms::most, wanted.size() - storm);
    TileRound round{storm, storms, {}, 0};
    std::vector<PlacedRange> ranges;
    const std::vector<CellRange> needed = wider(wanted[storm], 1, total);
    const std::int64_t width = best_width(needed, storms, at_once);
    const std::int64_t step = step_of(width, storms);
    for (const CellRange& range : needed) {
      ranges.push_back({range, round.values});
      round.values += range.count();
      for (std::int64_t first = range.first;; first += step) {
        const std::int64_t last = std::min(first + width - 1, range.last);
        round.tiles.push_back({first, last - first + 1, known.empty() ? -1 : place_of(known, first),
                               place_of(ranges, first)});
        if (last == range.last) break;
      }
    }
    rounds.push_back(std::move(round));
    known = std::move(ranges);
    storm += storms;
  }
  return rounds;
}

double interactions(std::span<const TileRound> rounds, std::span<const std::int64_t> impacts) {
  double sum = 0;
  for (const TileRound& round : rounds) {
    double of_round = 0;
    for (const std::int64_t count : impacts.subspan(round.first_storm, round.storms)) {
      of_round += static_cast<double>(count);
    }
    for (const CellTile& tile : round.tiles) sum += of_round * static_cast<double>(tile.cells);
  }
  return sum;
}

}  // namespace bombard
