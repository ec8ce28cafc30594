#include "sim/engines/screened/screened.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/screened/cell_ranges.hpp"

namespace bombard {

namespace {

/// The peaks among ascending cells. `values` are those of the tiles, which hold the cells and their
/// neighbours.
std::vector<CellValue> peaks_among(const std::vector<std::int64_t>& cells,
                                   const ExactLayer::Tiles& tiles,
                                   const std::vector<float>& values) {
  std::vector<CellValue> peaks;
  const float* of_range = values.data();
  auto range = tiles.ranges.begin();
  for (const std::int64_t cell : cells) {
    for (; range->end <= cell; ++range) of_range += range->count();
    const float* const here = of_range + (cell - range->begin);
    if (*here > 0 && *here > here[-1] && *here > here[1]) peaks.push_back({cell, *here});
  }
  return peaks;
}

}  // namespace

ScreenedEngine::ScreenedEngine(const EngineOptions& options, std::unique_ptr<ExactLayer> exact,
                               std::unique_ptr<ScreenedLayer> layer)
    : total_(options.part.total), exact_(std::move(exact)), layer_(std::move(layer)) {}

void ScreenedEngine::reset() {
  exact_->clear();
  layer_->clear();
  directly_ = confirmed_ = 0;
  evidence_.reset();
}

Maximum ScreenedEngine::apply(const StormView& storm) {
  exact_->add(storm);  // first: a GPU's layer reads the impacts that it has sent
  if (const char* const why = layer_->add(storm)) throw GaveUp{why};
  directly_ += exact_->cost_directly(storm);
  evidence_ = Evidence{};
  const PeakSearch found = search(1);
  if (found.gave_up()) throw GaveUp{"too many cells may be the maximum"};
  const Maximum maximum = first_of(found.peaks());
  evidence_->bound = layer_->screening().relative_bound(maximum.position);
  evidence_->cells_seen = layer_->cells_seen();
  return maximum;
}

/// Screens and confirms, until the `count` highest peaks are known.
PeakSearch ScreenedEngine::search(std::size_t count) {
  const ProfilingRange range("screen and confirm");
  PeakSearch search(layer_->screening(), count, exact_->few_candidates(), most_candidates());
  while (search.asks()) search.take(confirmed(search.candidates()));
  return search;
}

/// The peaks among the candidates by the rule; none if they cost too much.
std::optional<std::vector<CellValue>> ScreenedEngine::confirmed(
    const std::vector<std::int64_t>& cells) {
  std::vector<CellRange> ranges;
  for (const std::int64_t cell : cells) ranges.push_back({cell, cell + 1});
  const ExactLayer::Tiles tiles = exact_->tiles(widened(ranges, 1, total_));
  if (tiles.interactions > left_for_candidates()) return std::nullopt;
  confirmed_ += tiles.interactions;
  evidence_->candidates += std::ssize(cells);
  return peaks_among(cells, tiles, exact_->values(tiles));
}

/// What the next candidates may cost. With those of all storms so far they must cost less than all
/// the arithmetic; by themselves, no more than the layer allows in one round.
double ScreenedEngine::left_for_candidates() const {
  return std::min(std::max(negligible_interactions, directly_) - confirmed_,
                  layer_->most_interactions());
}

/// More candidates than this are not listed; a few always are.
std::size_t ScreenedEngine::most_candidates() const {
  constexpr double always_listed = 64;
  const double affordable = std::max(0.0, left_for_candidates()) / exact_->least_cost_of_cell();
  return static_cast<std::size_t>(always_listed +
                                  std::min(affordable, static_cast<double>(total_)));
}

std::vector<CellValue> ScreenedEngine::values_at(std::span<const CellRange> cells) {
  std::vector<CellRange> sorted(cells.begin(), cells.end());
  std::ranges::sort(sorted, {}, &CellRange::begin);
  const ExactLayer::Tiles tiles = exact_->tiles(widened(sorted, 0, total_));  // joined
  const std::vector<float> of_tiles = exact_->values(tiles);
  std::vector<std::size_t> places;  // of each tile's first value
  std::size_t place = 0;
  for (const CellRange& tile : tiles.ranges) {
    places.push_back(place);
    place += static_cast<std::size_t>(tile.count());
  }
  std::vector<CellValue> values;
  for (const CellRange& range : cells) {
    const auto behind = std::ranges::upper_bound(tiles.ranges, range.begin, {}, &CellRange::begin);
    const auto tile = std::prev(behind);
    auto at = places[static_cast<std::size_t>(tile - tiles.ranges.begin())] +
              static_cast<std::size_t>(range.begin - tile->begin);
    for (std::int64_t k = range.begin; k < range.end; ++k) values.push_back({k, of_tiles[at++]});
  }
  return values;
}

PeakList ScreenedEngine::highest_peaks(std::int64_t count) {
  if (count == 0 || !evidence_) return {};  // no storm has come
  const Evidence of_maximum = *evidence_;
  const double of_maxima = confirmed_;
  const PeakSearch found = search(static_cast<std::size_t>(count));
  evidence_ = of_maximum;
  confirmed_ = of_maxima;
  return {found.peaks(), found.complete_from()};
}

}  // namespace bombard
