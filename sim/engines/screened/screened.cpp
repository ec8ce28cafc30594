#include "sim/engines/screened/screened.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/profiling_range.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/highest_peaks.hpp"
#include "sim/engines/screened/cell_ranges.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

namespace {

// A layer of this many cells always fits, and asking takes longer than a small run.
constexpr std::int64_t few_cells = std::int64_t{1} << 20;

/// The peaks among ascending cells. These are the values of the tiles, which hold the cells and
/// their neighbours.
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

ScreenedEngine::ScreenedEngine(const EngineOptions& options, std::unique_ptr<ScreenedLayer> layer,
                               std::unique_ptr<ExactLayer> exact, double cheap)
    : options_(options),
      part_(with_margin(options.part, options.storms)),
      is_sparse_(!layer->is_stored()),
      cheap_at_first_(cheap),
      exact_(std::move(exact)),
      cheap_(cheap) {
  take(std::move(layer));
}

void ScreenedEngine::reset() {
  if (exact_) exact_->whole().reset();
  told_by_.reset();
  if (is_sparse_ && (!layer_ || layer_->is_stored())) {
    take(make_sparse_layer(options_));
  } else {
    layer_->begin_with({});
  }
  begun_ = true;
  forget_pending();
  cheap_ = cheap_at_first_;
  why_stored_ = "";
  evidence_.clear();
}

void ScreenedEngine::begin_with(const LayerView& held) {
  if (exact_) exact_->whole().begin_with(held);
  layer_->begin_with(held);
}

Maximum ScreenedEngine::apply(const StormView& storm) {
  return apply_storms({&storm, 1}).front();
}

std::vector<Maximum> ScreenedEngine::apply_storms(std::span<const StormView> storms) {
  if (pending_.size() > kept_.size()) {  // see keep_pending()
    throw std::logic_error("an engine is given more storms than it was made for");
  }
  std::vector<Maximum> maxima;
  std::size_t done = 0;
  for (std::size_t i = done; i < storms.size();) {
    // On a layer that is known, storms for which all the arithmetic is as fast wait for each other.
    if (pending_.empty() && is_direct(storms[i])) {
      ++i;
      continue;
    }
    directly(storms.subspan(done, i - done), 0, costs_no_more, maxima);
    done = i += screen(storms.subspan(i), maxima);
  }
  directly(storms.subspan(done), 0, costs_no_more, maxima);
  keep_pending();
  return maxima;
}

/// Whether all the arithmetic for the next storm, on a layer that is known, takes no longer.
bool ScreenedEngine::is_direct(const StormView& storm) {
  if (!layer_) return true;
  return exact_ && layer_->is_stored() &&
         exact_->cost_directly(storm) + cheap_ <=
             layer_->cost(storm) + (begun_ ? 0 : layer_->cost_of_beginning());
}

/// Adds the next storms, all for which the layer can be searched together, and finds the maximum
/// after each. Returns their number.
std::size_t ScreenedEngine::screen(std::span<const StormView> storms,
                                   std::vector<Maximum>& maxima) {
  if (!begun_) exact_->give_to(*layer_);
  begun_ = true;
  told_by_.reset();
  const std::size_t before = pending_.size();
  const char* why = nullptr;
  for (const StormView& storm :
       storms.first(std::min(storms.size(), layer_->searched_together()))) {
    pending_.push_back(storm);
    const auto number = evidence_.size() + pending_.size() - before;
    const bool is_last = static_cast<std::int64_t>(number) == options_.storms;
    if (exact_) exact_->add(storm, !options_.keep_layer && is_last);
    why = layer_->add(storm);
    if (why != nullptr) break;
  }
  const std::size_t end = pending_.size();
  std::vector<Found> found = search(1, before, why == nullptr ? end : end - 1, why);
  if (why != nullptr && !layer_->is_stored()) {
    why = store(why);
    told_by_.reset();
    if (why == nullptr) found = search(1, before, end, why);
  }
  for (const Found& after_storm : found) {
    maxima.push_back(first_of(after_storm.peaks));
    if (exact_ || is_sparse_) note(after_storm.evidence);
  }
  if (why != nullptr) directly(pending_, before + found.size(), why, maxima);
  if (in_double() && layer_->is_stored()) forget_pending();
  return end - before;
}

/// The `count` highest peaks after each of the pending storms from `first` up to `end`, up to the
/// one whose peaks cost too much: then `why` says so.
std::vector<ScreenedEngine::Found> ScreenedEngine::search(std::size_t count, std::size_t first,
                                                          std::size_t end, const char*& why) {
  std::vector<Found> found =
      in_double() ? search_in_double(count, first, end) : search_by_the_rule(count, first, end);
  if (found.size() < end - first) why = too_many_candidates;
  return found;
}

std::vector<ScreenedEngine::Found> ScreenedEngine::search_in_double(std::size_t count,
                                                                    std::size_t first,
                                                                    std::size_t end) const {
  std::vector<Found> found;
  for (; first < end; ++first) {
    const auto peaks = layer_->highest_peaks(count, end - first - 1);
    if (!peaks) break;
    found.push_back({*peaks, {.cells_seen = layer_->cells_seen(), .true_sums = true}});
  }
  return found;
}

/// Screens and confirms. What the searches ask for is computed for all storms at once.
std::vector<ScreenedEngine::Found> ScreenedEngine::search_by_the_rule(std::size_t count,
                                                                      std::size_t first,
                                                                      std::size_t end) {
  const ProfilingRange range("screen and confirm");
  std::vector<PeakSearch> searches;
  std::vector<Found> found;
  for (std::size_t i = first; i < end; ++i) {
    const Screening& screening = layer_->screening(end - i - 1);
    Found& after_storm = found.emplace_back();
    const std::optional<double> known = known_to_ranks(screening, i + 1, after_storm.evidence);
    if (!known) break;
    searches.emplace_back(screening, count, exact_->few_candidates(), most_candidates(), *known);
  }
  std::size_t left = searches.size();  // those before the first one that costs too much
  for (;;) {
    std::vector<Asked> asked;
    std::vector<std::size_t> asking;
    for (std::size_t i = 0; i < left; ++i) {
      if (searches[i].gave_up()) left = i;
      if (!searches[i].asks()) continue;
      asked.push_back({searches[i].candidates(), first + i + 1, count, searches[i].least()});
      asking.push_back(i);
    }
    if (asked.empty()) break;
    const std::vector<ExactLayer::Peaks> all = confirmed(asked);
    if (all.size() < asked.size()) left = asking[all.size()];
    for (std::size_t i = 0; i < all.size(); ++i) {
      found[asking[i]].evidence.candidates += all[i].cells;
      searches[asking[i]].take(all[i].peaks);
    }
  }
  if (left < end - first && layer_->refine()) {
    std::vector<Found> again = search_by_the_rule(count, first, end);
    if (!again.empty()) again.front().evidence.candidates += found.front().evidence.candidates;
    return again;
  }
  found.resize(left);
  for (std::size_t i = 0; i < left; ++i) {
    found[i].peaks = searches[i].peaks();
    found[i].evidence.bound =
        layer_->screening(end - first - i - 1).relative_bound(first_of(found[i].peaks).position);
    found[i].evidence.cells_seen = layer_->cells_seen();
  }
  return found;
}

/// The highest of the peaks by the rule that the ranks' layers have where they are highest; 0
/// without other ranks, and where no rank knows a peak. None if this rank's costs too much.
std::optional<double> ScreenedEngine::known_to_ranks(const Screening& screening, std::size_t storms,
                                                     Evidence& evidence) {
  if (options_.others == nullptr) return 0;
  Candidates best;
  for (const CellValue& peak : screening.best_peaks(1)) best.cells.push_back(peak.position);
  const Asked asked{best, storms};
  const std::vector<ExactLayer::Peaks> own = confirmed({&asked, 1});
  const double known = tell_all_ranks(own.empty() ? 0 : first_of(own.front().peaks).value);
  if (own.empty()) return std::nullopt;
  evidence.candidates = own.front().cells;
  return known;
}

/// The peaks among the candidates of each, by the rule: of the first ones, as far as that is worth
/// it.
std::vector<ExactLayer::Peaks> ScreenedEngine::confirmed(std::span<const Asked> asked) {
  std::vector<ExactLayer::Tiles> tiles;
  double interactions = 0;
  for (const Asked& one : asked) {
    std::vector<CellRange> ranges;
    for (const std::int64_t cell : one.candidates.cells) ranges.push_back({cell, cell + 1});
    ExactLayer::Tiles around = exact_->tiles(widened(ranges, 1, part_.total), one.storms);
    if (!is_worth(layer_->work() + interactions + around.interactions)) break;
    interactions += around.interactions;
    tiles.push_back(std::move(around));
  }
  std::vector<ExactLayer::Peaks> all;
  if (tiles.empty()) return all;
  confirmed_ += interactions;
  const std::vector<std::vector<float>> values = exact_->values(tiles);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const auto& [cells, gaps] = asked[i].candidates;
    ExactLayer::Peaks found{peaks_among(cells, tiles[i], values[i]), std::ssize(cells)};
    if (!gaps.empty() && !add_peaks_of_gaps(asked[i], found)) break;
    all.push_back(std::move(found));
  }
  return all;
}

/// Adds those that are as high as the ones found. Returns false if that costs too much.
bool ScreenedEngine::add_peaks_of_gaps(const Asked& asked, ExactLayer::Peaks& found) {
  sort_peaks(found.peaks);
  const double least = found.peaks.size() < asked.count
                           ? asked.least
                           : std::max(asked.least, found.peaks[asked.count - 1].value);
  // A stored layer would have these candidates, too, and leave all the arithmetic.
  double most = std::numeric_limits<double>::infinity();
  if (stored_engine() != nullptr) {
    double directly = 0;
    for (const StormView& storm : pending_) directly += exact_->cost_directly(storm);
    most = cheap_ + most_for_gaps * directly;
  }
  const auto of_gaps =
      exact_->peaks_of_gaps(asked.candidates.gaps, asked.storms, asked.count, least, most);
  confirmed_ += of_gaps ? of_gaps->interactions : most;
  if (!of_gaps) return false;
  found.cells += of_gaps->cells;
  found.peaks.insert(found.peaks.end(), of_gaps->peaks.begin(), of_gaps->peaks.end());
  return true;
}

/// The highest of the peaks that the ranks know after the next storm that they have not told each
/// other of. All ranks call this once for each storm.
double ScreenedEngine::tell_all_ranks(double own) {
  ++told_;
  return largest_of_all_ranks(*options_.others, own);
}

/// The cells for which the cost that is left is enough; a few are always allowed.
std::size_t ScreenedEngine::most_candidates() {
  constexpr double cheap_cells = 64;
  const double cost = layer_->is_stored() ? std::max(0.0, cheap_ + cost_otherwise() - spent())
                                          : std::numeric_limits<double>::infinity();
  return static_cast<std::size_t>(cheap_cells + std::min(cost / exact_->least_cost_of_cell(),
                                                         static_cast<double>(part_.held.count())));
}

/// The maxima of storms by all the arithmetic, which leaves the layer known: of the pending ones,
/// or of others where none is pending. The first `told` maxima are known already.
void ScreenedEngine::directly(std::span<const StormView> storms, std::size_t told, const char* why,
                              std::vector<Maximum>& maxima) {
  if (storms.empty()) return;
  if (layer_) {
    cheap_ -= std::clamp(spent() - cost_otherwise(), 0.0, cheap_);
    layer_->release();
  }
  exact_->forget();
  std::vector<Maximum> direct;
  for (const StormView& storm : storms) direct.push_back(exact_->whole().apply(storm));
  maxima.insert(maxima.end(), direct.begin() + static_cast<std::ptrdiff_t>(told), direct.end());
  for (std::size_t i = told; i < direct.size(); ++i) {
    // The other ranks wait for what this one has to report about each storm.
    if (options_.others != nullptr && i >= told_) tell_all_ranks(direct[i].value);
    note({.direct = true, .candidates = part_.own.count(), .why_direct = why});
  }
  forget_pending();
  begun_ = false;
}

void ScreenedEngine::note(Evidence evidence) {
  evidence.why_dense = why_stored_;
  evidence_.push_back(evidence);
}

// ---- What is it worth? ----

/// The work since the layer was known as a whole.
double ScreenedEngine::spent() const {
  return layer_->work() + confirmed_;
}

/// Whether this much work of the layer, with the candidates so far, costs no more than another way.
/// So the work is never more than twice that.
bool ScreenedEngine::is_worth(double work) {
  const double all = work + confirmed_ - cheap_;
  return all <= 0 || all <= cost_otherwise();  // small costs are not worth a look at the other way
}

/// The cost of the pending storms without screening, or, if no layer is stored, with a stored one.
double ScreenedEngine::cost_otherwise() {
  for (; costed_ < pending_.size(); ++costed_) {
    const StormView& storm = pending_[costed_];
    cost_otherwise_ += layer_->is_stored() ? exact_->cost_directly(storm) : cost_when_stored(storm);
  }
  return cost_otherwise_;
}

/// Infinite if no memory holds the layer.
double ScreenedEngine::cost_when_stored(const StormView& storm) {
  const EngineEntry* const engine = stored_engine();
  if (engine == nullptr) return std::numeric_limits<double>::infinity();
  const auto cells = static_cast<double>(part_.total);
  const auto impacts = static_cast<double>(storm.impacts.size());
  const double direct = cost_of_direct_storm(cells, cells * impacts);
  const double screened = cost_of_screened_storm(cells, impacts);
  if (engine->method == Method::direct) return direct;
  return in_double() ? screened : std::min(direct, screened);
}

// ---- The storms that a layer which is not stored leaves to one that is ----

/// The engine that goes on: the first for which there is memory; null: there is none.
const EngineEntry* ScreenedEngine::stored_engine() {
  if (!stored_engine_) {
    const auto fits = [&](const EngineEntry* engine) {
      return part_.total <= few_cells || engine->all_bytes(options_) <= available_host_memory();
    };
    const std::vector<const EngineEntry*> stored = stored_engines(precision());
    const auto first = std::ranges::find_if(stored, fits);
    stored_engine_ = first == stored.end() ? nullptr : *first;
  }
  return *stored_engine_;
}

/// Another layer, which is stored, takes the pending storms again. Returns why it does not, as
/// ScreenedLayer::add() does.
const char* ScreenedEngine::store(const char* why) {
  why_stored_ = why;
  const EngineEntry* const engine = stored_engine();
  try {
    const EngineEntry& needed = engine != nullptr ? *engine : *stored_engines(precision()).back();
    needed.require_memory(options_);
    told_by_ = std::move(layer_);
    cost_otherwise_ = 0;
    costed_ = 0;
    if (needed.method == Method::direct) return "there is not enough memory for another method";
    take(make_stored_layer(options_, precision()));
  } catch (const CannotRun& error) {
    throw CannotRun(fmt::format("{}; the layer has to be stored because {}", error.message(), why));
  }
  for (const StormView& storm : pending_) {
    if (const char* const why_direct = layer_->add(storm)) return why_direct;
  }
  return nullptr;
}

void ScreenedEngine::take(std::unique_ptr<ScreenedLayer> layer) {
  layer_ = std::move(layer);
  layer_->limit_work([this](double work) { return is_worth(work); });
}

/// Copies the impacts that later calls may need.
void ScreenedEngine::keep_pending() {
  if (!is_sparse_ && std::ssize(evidence_) == options_.storms) return;
  while (kept_.size() < pending_.size()) {
    StormView& storm = pending_[kept_.size()];
    storm.impacts = kept_.emplace_back(storm.impacts.begin(), storm.impacts.end());
  }
}

void ScreenedEngine::forget_pending() {
  if (exact_) exact_->forget();
  pending_.clear();
  kept_.clear();
  told_ = costed_ = 0;
  cost_otherwise_ = confirmed_ = 0;
}

// ---- The layer ----

Layer ScreenedEngine::layer() const {
  if (exact_ && pending_.empty()) return exact_->whole().layer();
  std::vector<double> values = layer_->values();
  if (in_double()) return values;
  return std::vector<float>(values.begin(), values.end());
}

std::vector<float> ScreenedEngine::layer_uncertainty() const {
  if (in_double() || pending_.empty()) return {};
  return layer_->uncertainties();
}

std::vector<CellValue> ScreenedEngine::values_at(std::span<const CellRange> cells) {
  if (!is_sparse_) return Engine::values_at(cells);
  std::vector<CellValue> values;
  if (in_double()) {
    ScreenedLayer& layer = told_by_ ? *told_by_ : *layer_;
    for (const CellRange& range : cells) {
      for (std::int64_t k = range.begin; k < range.end; ++k) {
        values.push_back({k, layer.value(k)});
      }
    }
    return values;
  }
  std::vector<CellRange> sorted(cells.begin(), cells.end());
  std::ranges::sort(sorted, {}, &CellRange::begin);
  const ExactLayer::Tiles tiles = exact_->tiles(widened(sorted, 0, part_.total), pending_.size());
  const std::vector<float> of_tiles = exact_->values({&tiles, 1}).front();
  for (const CellRange& range : cells) {
    const float* at = of_tiles.data();
    auto tile = tiles.ranges.begin();
    for (; !tile->contains(range); ++tile) at += tile->count();
    at += range.begin - tile->begin;
    for (std::int64_t k = range.begin; k < range.end; ++k) values.push_back({k, *at++});
  }
  return values;
}

/// The peaks of a layer that is not stored. If it leaves too many cells, a stored layer finds where
/// the peaks are, and the layer that gave the maximum finds how high they are: so the first peak is
/// the maximum, to the last bit.
std::vector<CellValue> ScreenedEngine::peaks_in_double(std::size_t count) {
  if (!told_by_) {
    if (auto peaks = layer_->highest_peaks(count)) return *std::move(peaks);
    store(too_many_candidates);
    forget_pending();
  }
  std::vector<CellValue> peaks = told_by_->highest_peaks(1).value();
  const auto value = [&](std::int64_t cell) { return told_by_->value(cell); };
  const std::vector<CellValue> found = layer_->highest_peaks(count).value();
  for (const auto& [cell, of_stored] : found) {
    const double here = value(cell);
    if (here > value(cell - 1) && here > value(cell + 1)) peaks.push_back({cell, here});
  }
  sort_peaks(peaks);
  peaks.resize(std::min(peaks.size(), count));
  return peaks;
}

std::vector<CellValue> ScreenedEngine::highest_peaks(std::int64_t count) {
  if (count == 0) return {};
  if (!is_sparse_) return Engine::highest_peaks(count);
  const auto most = static_cast<std::size_t>(count);
  if (in_double()) {
    if (told_by_ || !pending_.empty()) return peaks_in_double(most);
  } else if (!pending_.empty()) {
    const char* why = nullptr;
    const auto search_all = [&] { return search(most, pending_.size() - 1, pending_.size(), why); };
    std::vector<Found> found = search_all();
    if (why != nullptr && !layer_->is_stored()) {
      why = store("too many cells may be among the highest peaks");
      told_by_.reset();
      if (why == nullptr) found = search_all();
    }
    if (why == nullptr) return std::move(found.front().peaks);
    std::vector<Maximum> known;
    directly(pending_, pending_.size(), why, known);
  }
  if (layer_ && !layer_->is_stored()) return {};  // no storm has come
  return Engine::highest_peaks(count);
}

}  // namespace bombard
