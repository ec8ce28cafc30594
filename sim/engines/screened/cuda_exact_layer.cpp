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
      before_(usual_tiles * CellTile::most_cells),
      after_(usual_tiles * CellTile::most_cells) {}

double CudaExactLayer::cost_directly(const StormView& storm) const {
  return cost_of_direct_launch + cost_of_direct_storm(part_.held.count(), storm);
}

/// The impacts of all storms so far, 1 or more.
double CudaExactLayer::impacts() const {
  return std::max(1.0, static_cast<double>(storms_.ends().back()));
}

ExactLayer::Tiles CudaExactLayer::tiles(const std::vector<CellRange>& ranges) const {
  const std::span<const std::int64_t> ends = storms_.ends();
  return {ranges, cost_of_round * static_cast<double>(ends.size() + 1) +
                      tile_cost * interactions(plan(ranges), ends)};
}

std::vector<float> CudaExactLayer::values(const Tiles& tiles) {
  const ProfilingRange range("confirm");
  const std::vector<CellTile> cones = plan(tiles.ranges);
  const std::int64_t count = values_of(cones);
  tiles_.at_least(std::ssize(cones));
  tiles_.copy_from(cones);
  before_.at_least(count);
  after_.at_least(count);
  const std::span<const std::int64_t> ends = storms_.ends();
  std::int64_t begin = 0;
  // Round i relaxes what storm i - 1 has left, and adds storm i, as far as there are these.
  for (std::size_t round = 0; round <= ends.size(); ++round) {
    const std::int64_t end = round < ends.size() ? ends[round] : begin;
    cuda::apply_to_tiles(rule_, slice(storms_.impacts(), {begin, end}), part_.total,
                         std::as_const(tiles_).span().first(cones.size()), static_cast<int>(round),
                         std::as_const(before_).span(), after_.span());
    std::swap(before_, after_);
    begin = end;
  }
  std::vector<float> left(static_cast<std::size_t>(count));
  before_.copy_to(left);
  std::vector<float> wanted;
  for (const CellRange& cells : tiles.ranges) {
    const auto at = left.begin() + value_of(cells.begin, cones);
    wanted.insert(wanted.end(), at, at + cells.count());
  }
  return wanted;
}

double CudaExactLayer::least_cost_of_cell() const {
  return tile_cost * impacts();
}

std::vector<CellTile> CudaExactLayer::plan(const std::vector<CellRange>& ranges) const {
  return plan_tiles(ranges, storms_.ends().size(), part_.total, tiles_at_once_);
}

}  // namespace bombard
