#include "sim/engines/screened/tile_plan.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sim/engines/screened/cell_ranges.hpp"

namespace bombard {

namespace {

// The fewest cells that keep a multiprocessor busy, and the step, in cells, between the widths that
// are tried: measured on an H200 (docs/journal.md, The fast method on the GPU).
constexpr std::int64_t fewest_cells = 8;
constexpr std::int64_t cells_between_widths = 4;

/// The distance between tiles of up to `width` cells: every storm uses up a cell at each end of a
/// tile.
std::int64_t step_of(std::int64_t width, std::size_t storms) {
  return width - 2 * static_cast<std::int64_t>(storms);
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

}  // namespace

std::int64_t number_of(std::span<const CellRange> ranges, std::int64_t cell) {
  std::int64_t before = 0;
  for (const CellRange& range : ranges) {
    if (range.contains(cell)) return before + (cell - range.begin);
    before += range.count();
  }
  throw std::logic_error("the cell is in none of the ranges");
}

std::vector<TileRound> plan_tiles(const std::vector<CellRange>& wanted, std::size_t storms,
                                  std::int64_t total, std::int64_t at_once) {
  std::vector<TileRound> rounds;
  for (std::size_t first = 0; first < storms;) {
    const std::size_t count = std::min<std::size_t>(TileStorms::most, storms - first);
    TileRound round{
        first, count, {}, widened(wanted, static_cast<std::int64_t>(storms - first), total), 0};
    const std::int64_t width = best_width(round.ranges, count, at_once);
    const std::span<const CellRange> known =
        rounds.empty() ? std::span<const CellRange>() : rounds.back().ranges;
    std::size_t at = 0;              // the known range around the next one
    std::int64_t values_before = 0;  // of those before it
    for (const CellRange& range : round.ranges) {
      for (; at < known.size() && known[at].end < range.end; ++at) {
        values_before += known[at].count();
      }
      for (std::int64_t begin = range.begin;; begin += step_of(width, count)) {
        const std::int64_t end = std::min(begin + width, range.end);
        round.tiles.push_back({begin, end - begin,
                               known.empty() ? -1 : values_before + (begin - known[at].begin),
                               round.values + (begin - range.begin), static_cast<int>(count)});
        if (end == range.end) break;
      }
      round.values += range.count();
    }
    rounds.push_back(std::move(round));
    first += count;
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
