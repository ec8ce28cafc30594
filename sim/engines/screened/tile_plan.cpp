#include "sim/engines/screened/tile_plan.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "sim/engines/screened/cell_ranges.hpp"

namespace bombard {

namespace {

/// The distance of a tile from the nearest of some cells; 0 if it has one of them.
std::int64_t distance(const CellRange& tile, const std::vector<CellRange>& cells) {
  const auto next = std::ranges::partition_point(
      cells, [&](const CellRange& range) { return range.end <= tile.begin; });
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  if (next != cells.begin()) least = tile.begin - (std::prev(next)->end - 1);
  if (next != cells.end()) least = std::min(least, next->begin - (tile.end - 1));
  return std::max<std::int64_t>(least, 0);
}

}  // namespace

std::vector<CellTile> plan_tiles(const std::vector<CellRange>& wanted, std::size_t storms,
                                 std::int64_t total, std::int64_t at_once) {
  const auto rounds = static_cast<std::int64_t>(storms) + 1;
  const std::vector<CellRange> cones = widened(wanted, rounds - 1, total);
  const std::int64_t width =
      std::clamp<std::int64_t>(cells_in(cones) / at_once, 1, CellTile::most_cells);
  std::vector<CellTile> tiles;
  std::int64_t value = 1;
  for (const CellRange& cone : cones) {
    for (std::int64_t begin = cone.begin; begin < cone.end; begin += width) {
      const CellRange tile{begin, std::min(begin + width, cone.end)};
      // A cell at distance d from the wanted ones is needed after rounds 0 .. storms - d.
      tiles.push_back({begin, value, static_cast<int>(tile.count()),
                       static_cast<int>(rounds - distance(tile, wanted))});
      value += tile.count();
    }
  }
  return tiles;
}

std::int64_t values_of(std::span<const CellTile> tiles) {
  return tiles.empty() ? 2 : tiles.back().value + tiles.back().cells + 1;
}

double interactions(std::span<const CellTile> tiles, std::span<const std::int64_t> ends) {
  double sum = 0;
  for (const CellTile& tile : tiles) {
    const std::size_t storms = std::min<std::size_t>(tile.rounds, ends.size());
    sum += static_cast<double>(tile.cells) * static_cast<double>(storms > 0 ? ends[storms - 1] : 0);
  }
  return sum;
}

std::int64_t value_of(std::int64_t cell, std::span<const CellTile> tiles) {
  const auto tile = std::prev(std::ranges::upper_bound(tiles, cell, {}, &CellTile::first));
  return tile->value + (cell - tile->first);
}

}  // namespace bombard
