#include "sim/engines/screened/cuda_exact_layer.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "sim/engines/costs.hpp"

namespace bombard {

namespace {

/// Room for this many from the beginning: more memory is asked for while a storm waits for it.
constexpr std::int64_t usual_tiles = 1 << 10;

}  // namespace

CudaExactLayer::CudaExactLayer(const EngineOptions& options)
    : part_(with_margin(options.part, options.storms)),
      rule_(layer_rule(options.rule, part_.total)),
      tiles_at_once_(cuda::tiles_at_once()),
      storms_(thread_count(options), options.impacts),
      tiles_(usual_tiles),
      values_(usual_tiles * CellTile::most_cells) {}

double CudaExactLayer::cost_directly(const StormView& storm) const {
  return cost_of_direct_launch + cost_of_direct_storm(part_.held.count(), storm);
}

/// The impacts of all storms so far, 1 or more.
double CudaExactLayer::impacts() const {
  return std::max(1.0, static_cast<double>(storms_.ends().back()));
}

ExactLayer::Tiles CudaExactLayer::tiles(const std::vector<CellRange>& ranges) const {
  const std::vector<TileRound> rounds = plan(ranges);
  return {ranges, cost_of_round * static_cast<double>(rounds.size()) +
                      tile_cost * interactions(rounds, storms_.ends())};
}

/// A round is one launch, which leaves its values behind those of the rounds before.
std::vector<float> CudaExactLayer::values(const Tiles& tiles) {
  const ProfilingRange range("confirm");
  const std::vector<TileRound> rounds = plan(tiles.ranges);
  std::vector<CellTile> all_tiles;
  std::vector<std::size_t> ends;  // of each round among them
  std::int64_t before = 0, values = 0;
  for (const TileRound& round : rounds) {
    for (CellTile tile : round.tiles) {
      if (tile.before >= 0) tile.before += before;
      tile.after += values;
      all_tiles.push_back(tile);
    }
    before = values;
    values += round.values;
    ends.push_back(all_tiles.size());
  }
  tiles_.at_least(static_cast<std::int64_t>(all_tiles.size()));
  tiles_.copy_from(all_tiles);
  values_.at_least(values);
  const std::span<const CellTile> there = std::as_const(tiles_).span();
  for (std::size_t round = 0, begin = 0; round < rounds.size(); begin = ends[round++]) {
    launch(rounds[round].first_storm, there.subspan(begin, ends[round] - begin),
           round == 0 ? std::span<const float>() : std::as_const(values_).span());
  }
  std::vector<float> left(static_cast<std::size_t>(values));
  values_.copy_to(left);
  std::vector<float> wanted;
  for (const CellRange& cells : tiles.ranges) {
    const auto at = left.begin() + before + number_of(rounds.back().ranges, cells.begin);
    wanted.insert(wanted.end(), at, at + cells.count());
  }
  return wanted;
}

/// More candidates take longer to plan, or to compute, than a look at the best ones first.
std::size_t CudaExactLayer::few_candidates() const {
  // A candidate's cone is one cell wider on both sides for each storm back in time.
  const auto cone = 2 * std::ssize(storms_.ends()) + 1;
  const double of_candidate =
      static_cast<double>(std::min<std::int64_t>(CellTile::most_cells, cone)) * impacts();
  return static_cast<std::size_t>(
      std::min(most_candidates_to_plan, most_interactions_of_candidates / of_candidate));
}

double CudaExactLayer::least_cost_of_cell() const {
  return tile_cost * impacts();
}

std::vector<TileRound> CudaExactLayer::plan(const std::vector<CellRange>& ranges) const {
  return plan_tiles(ranges, storms_.ends().size(), part_.total, tiles_at_once_);
}

/// Queues a round, which continues from the values `before` with this storm.
void CudaExactLayer::launch(std::size_t first_storm, std::span<const CellTile> tiles,
                            std::span<const float> before) {
  const std::span<const std::int64_t> all_ends = storms_.ends();
  const std::int64_t begin = first_storm == 0 ? 0 : all_ends[first_storm - 1];
  const std::size_t count = std::min<std::size_t>(TileStorms::most, all_ends.size() - first_storm);
  std::vector<std::int64_t> ends;
  for (const std::int64_t end : all_ends.subspan(first_storm, count)) ends.push_back(end - begin);
  const TileStorms storms{.impacts = storms_.impacts().subspan(static_cast<std::size_t>(begin)),
                          .ends = ends,
                          .layer_cells = part_.total};
  cuda::apply_to_tiles(rule_, storms, tiles, before, values_.span());
}

}  // namespace bombard
