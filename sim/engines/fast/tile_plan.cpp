#include "sim/engines/fast/tile_plan.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "sim/engines/fast/cell_ranges.hpp"

namespace bombard {

namespace {

/// The ranges of cells whose values are known: the first cell of each, and the number of its value.
using KnownValues = std::map<std::int64_t, std::int64_t>;

/// The number of a cell's value, which lies in one of the ranges.
std::int64_t number_of(const KnownValues& known, std::int64_t cell) {
  const auto& [first_cell, first_value] = *std::prev(known.upper_bound(cell));
  return first_value + (cell - first_cell);
}

// The fewest cells that keep a multiprocessor busy, and by how many cells the widths differ that
// are tried: measured on an H200 (docs/journal.md, The fast method on the GPU).
constexpr std::int64_t fewest_cells = 8;
constexpr std::int64_t cells_between_widths = 4;

/// The distance between tiles of up to `width` cells: every storm uses up a cell at both ends of a
/// tile, and a peak needs its neighbours.
std::int64_t step_of(std::int64_t width, std::size_t storms) {
  return width - 2 * static_cast<std::int64_t>(storms) - 2;
}

/// The narrowest tile, with two cells more than are used up.
std::int64_t narrowest(std::size_t storms) {
  return std::max(fewest_cells, 2 * static_cast<std::int64_t>(storms) + 4);
}

/// The width of tiles for which a device that takes `at_once` tiles at once goes through the fewest
/// cells, one tile after the other.
std::int64_t best_width(std::span<const CellRange> ranges, std::size_t storms,
                        std::int64_t at_once) {
  std::int64_t best = CellTile::most_cells;
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t width = narrowest(storms); width <= CellTile::most_cells;
       width += cells_between_widths) {
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

/// A range that is wanted after a storm depends on one cell more on either side before it.
void add_what_it_stands_on(std::vector<std::vector<CellRange>>& wanted, std::int64_t total) {
  for (std::size_t storm = wanted.size(); storm-- > 1;) {
    std::vector<CellRange>& before = wanted[storm - 1];
    std::vector<CellRange> all;
    std::ranges::merge(before, widened(wanted[storm], 1, total), std::back_inserter(all), {},
                       &CellRange::begin, &CellRange::begin);
    before = widened(all, 0, total);
  }
}

}  // namespace

std::vector<TileRound> plan_tiles(std::vector<std::vector<CellRange>> wanted, std::int64_t total,
                                  std::int64_t at_once) {
  add_what_it_stands_on(wanted, total);
  std::vector<TileRound> rounds;
  KnownValues known;
  for (std::size_t storm = 0; storm < wanted.size() && !wanted[storm].empty();) {
    const std::size_t storms = std::min<std::size_t>(TileStorms::most, wanted.size() - storm);
    TileRound round{storm, storms, {}, 0};
    KnownValues left;
    const std::vector<CellRange> needed = widened(wanted[storm], 1, total);
    const std::int64_t width = best_width(needed, storms, at_once);
    for (const CellRange& range : needed) {
      left[range.begin] = round.values;
      round.values += range.count();
      for (std::int64_t begin = range.begin;; begin += step_of(width, storms)) {
        const std::int64_t end = std::min(begin + width, range.end);
        round.tiles.push_back({begin, end - begin, known.empty() ? -1 : number_of(known, begin),
                               number_of(left, begin)});
        if (end == range.end) break;
      }
    }
    rounds.push_back(std::move(round));
    known = std::move(left);
    storm += storms;
  }
  return rounds;
}

double interactions(std::span<const TileRound> rounds, std::span<const std::int64_t> ends) {
  double sum = 0;
  for (const TileRound& round : rounds) {
    const std::int64_t begin = round.first_storm == 0 ? 0 : ends[round.first_storm - 1];
    const std::int64_t end = ends[round.first_storm + round.storms - 1];
    std::int64_t cells = 0;
    for (const CellTile& tile : round.tiles) cells += tile.cells;
    sum += static_cast<double>(end - begin) * static_cast<double>(cells);
  }
  return sum;
}

}  // namespace bombard
