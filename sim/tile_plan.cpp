#include "sim/tile_plan.hpp"

#include <algorithm>
#include <iterator>
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

}  // namespace

std::vector<TileRound> plan_tiles(std::vector<std::vector<CellRange>> wanted, std::int64_t total,
                                  std::int64_t width) {
  // What is wanted after a storm stands on one cell more on either side before it.
  for (std::size_t storm = wanted.size(); storm-- > 1;) {
    std::vector<CellRange>& before = wanted[storm - 1];
    std::ranges::copy(wider(wanted[storm], 1, total), std::back_inserter(before));
    std::ranges::sort(before, {}, &CellRange::first);
    before = wider(before, 0, total);
  }

  std::vector<TileRound> rounds;
  std::vector<PlacedRange> known;
  for (std::size_t storm = 0; storm < wanted.size() && !wanted[storm].empty();) {
    const std::size_t storms =
        std::min<std::size_t>(static_cast<std::size_t>(width / 4), wanted.size() - storm);
    TileRound round{storm, storms, {}, 0};
    std::vector<PlacedRange> ranges;
    for (const CellRange& range : wider(wanted[storm], 1, total)) {
      ranges.push_back({range, round.values});
      round.values += range.count();
      // Every storm uses up a cell at both ends of a tile, and a peak needs its neighbours.
      const std::int64_t step = width - 2 * static_cast<std::int64_t>(storms) - 2;
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
