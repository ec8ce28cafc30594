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
#include "sim/engines/screened/cell_ranges.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

namespace {

// A layer of this many cells always fits, and asking takes longer than a small run.
constexpr std::int64_t few_cells = std::int64_t{1} << 20;

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
  if (exact_) exact_->reset();
  told_by_.reset();
  if (is_sparse_ && (!layer_ || layer_->is_stored())) {
    take(make_sparse_layer(options_, precision()));
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
  if (exact_) exact_->begin_with(held);
  layer_->begin_with(held);
}

std::vector<Maximum> ScreenedEngine::apply(std::span<const StormView> storms) {
  if (pending_.size() > kept_.size()) {
    throw std::logic_error("an engine is given more storms than it was made for");
  }
  std::vector<Maximum> maxima;
  if (in_double()) {
    for (const StormView& storm : storms) add_in_double(storm, maxima);
    take_maxima(maxima);
  } else {
    std::size_t done = 0;
    for (std::size_t i = done; i < storms.size();) {
      // On a layer that is known, storms for which all the arithmetic is as fast wait for each
      // other.
      if (pending_.empty() && is_direct(storms[i])) {
        ++i;
        continue;
      }
      directly(storms.subspan(done, i - done), 0, costs_no_more, maxima);
      done = i += screen(storms.subspan(i), maxima);
    }
    directly(storms.subspan(done), 0, costs_no_more, maxima);
  }
  keep_pending();
  return maxima;
}

/// The maxima that the layer has kept.
void ScreenedEngine::take_maxima(std::vector<Maximum>& maxima) {
  const std::vector<Maximum> kept = layer_->kept_maxima();
  maxima.insert(maxima.end(), kept.begin(), kept.end());
}

void ScreenedEngine::add_in_double(const StormView& storm, std::vector<Maximum>& maxima) {
  told_by_.reset();
  if (!layer_->is_stored()) pending_.push_back(storm);
  const char* why = layer_->add(storm);
  if (why == nullptr && !layer_->keep_maximum()) why = too_many_candidates;
  if (why != nullptr) {
    take_maxima(maxima);
    store(why);
    layer_->keep_maximum();
    forget_pending();
  }
  if (is_sparse_) note({.cells_seen = layer_->cells_seen(), .true_sums = true});
}

/// Whether all the arithmetic for the next storm, on a layer that is known, takes no longer.
bool ScreenedEngine::is_direct(const StormView& storm) {
  if (!layer_) return true;
  return layer_->is_stored() &&
         exact_->cost_directly(storm) + cheap_ <=
             layer_->cost(storm) + (begun_ ? 0 : layer_->cost_of_beginning());
}

/// Adds the next storms, all for which the layer can be searched together, and finds the maximum
/// after each. Returns their number.
std::size_t ScreenedEngine::screen(std::span<const StormView> storms,
                                   std::vector<Maximum>& maxima) {
  if (!begun_) exact_->give_to(*layer_);
  begun_ = true;
  const std::size_t before = pending_.size();
  const char* why = nullptr;
  for (const StormView& storm :
       storms.first(std::min(storms.size(), layer_->searched_together()))) {
    pending_.push_back(storm);
    const std::int64_t number = storms_done() + static_cast<std::int64_t>(pending_.size() - before);
    exact_->add(storm, !options_.keep_layer && number == options_.storms);
    why = layer_->add(storm);
    if (why != nullptr) break;
  }
  const std::size_t added = pending_.size() - before;
  const std::size_t searched = pending_.size() - (why == nullptr ? 0 : 1);
  if (options_.others == nullptr && searched > before + 1) confirm_together(before, searched);
  for (std::size_t storm = before; storm < pending_.size(); ++storm) {
    AfterStorm after{storm + 1, searched - std::min(storm + 1, searched)};
    std::optional<std::vector<CellValue>> peaks;
    if (storm < searched) peaks = screened_peaks(1, after, why);
    if (!peaks && !layer_->is_stored()) {
      why = store(why);
      after.ago = 0;
      if (why == nullptr) peaks = screened_peaks(1, after, why);
    }
    if (!peaks) {
      directly(pending_, storm, why, maxima);
      break;
    }
    maxima.push_back(first_of(*peaks));
    note({.candidates = candidates_,
          .bound = layer_->screening(after.ago).relative_bound(maxima.back().position),
          .cells_seen = layer_->cells_seen()});
    is_told_ = false;
  }
  together_.clear();
  return added;
}

/// Confirms the candidates after each of the pending storms from `first` up to `end`, as far as
/// that is worth it: what the searches ask for is computed for all storms at once, until none asks
/// for more.
void ScreenedEngine::confirm_together(std::size_t first, std::size_t end) {
  const ProfilingRange range("confirm together");
  for (;;) {
    std::vector<Confirmed> asked;
    for (std::size_t storms = first + 1; storms <= end; ++storms) {
      layer_->screening(end - storms)
          .highest_peaks(1, exact_->few_candidates(), most_candidates(),
                         [&](const std::vector<std::int64_t>& cells) {
                           auto peaks = known_peaks(cells, storms);
                           if (!peaks) asked.push_back({storms, cells, {}});
                           return peaks;
                         });
    }
    if (asked.empty()) return;
    std::vector<ExactLayer::Tiles> tiles;
    double interactions = 0;
    for (const Confirmed& of_storm : asked) {
      tiles.push_back(tiles_around(of_storm.cells, of_storm.storms));
      interactions += tiles.back().interactions;
    }
    if (!is_worth(layer_->work() + interactions)) return;
    confirmed_ += interactions;
    const std::vector<std::vector<float>> values = exact_->values(tiles);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      asked[i].peaks = peaks_among(asked[i].cells, tiles[i], values[i]);
      together_.push_back(std::move(asked[i]));
    }
  }
}

/// The peaks among cells that are confirmed already.
std::optional<std::vector<CellValue>> ScreenedEngine::known_peaks(
    const std::vector<std::int64_t>& cells, std::size_t storms) const {
  for (const Confirmed& known : together_) {
    if (known.storms == storms && known.cells == cells) return known.peaks;
  }
  return std::nullopt;
}

/// The rule's highest peaks from the candidates that the layer leaves; none if these cost too much.
std::optional<std::vector<CellValue>> ScreenedEngine::screened_peaks(std::size_t count,
                                                                     const AfterStorm& after,
                                                                     const char*& why) {
  const ProfilingRange range("screen and confirm");
  candidates_ = 0;
  auto peaks =
      options_.others != nullptr ? peaks_of_all_ranks(after) : peaks_of_own_cells(count, after);
  if (!peaks && layer_->refine()) peaks = peaks_of_own_cells(count, after);
  if (!peaks) why = too_many_candidates;
  return peaks;
}

std::optional<std::vector<CellValue>> ScreenedEngine::peaks_of_own_cells(std::size_t count,
                                                                         const AfterStorm& after) {
  return layer_->screening(after.ago).highest_peaks(
      count, exact_->few_candidates(), most_candidates(),
      [&](const std::vector<std::int64_t>& cells) { return confirmed(cells, after.storms); });
}

/// Peaks among which the layer's maximum is, if it lies among this part's own cells. All ranks call
/// this, or tell_all_ranks(), once for each storm.
std::optional<std::vector<CellValue>> ScreenedEngine::peaks_of_all_ranks(const AfterStorm& after) {
  const Screening& screening = layer_->screening(after.ago);
  std::vector<std::int64_t> best;
  for (const CellValue& peak : screening.best_peaks(1)) best.push_back(peak.position);
  const std::optional<std::vector<CellValue>> own = confirmed(best, after.storms);
  const double highest = tell_all_ranks(own ? first_of(*own).value : 0);
  if (!own) return std::nullopt;
  // Where no rank knows a peak, each searches its own cells.
  if (highest == 0) return peaks_of_own_cells(1, after);
  const auto cells =
      screening.candidates(highest, std::numeric_limits<double>::infinity(), most_candidates());
  auto peaks = cells ? confirmed(*cells, after.storms) : std::nullopt;
  if (peaks) std::ranges::stable_sort(*peaks, std::ranges::greater(), &CellValue::value);
  return peaks;
}

/// The highest of the values that the ranks know after a storm.
double ScreenedEngine::tell_all_ranks(double own) {
  is_told_ = true;
  return largest_of_all_ranks(*options_.others, own);
}

/// The cells for which the cost that is left is enough; a few are always confirmed.
std::size_t ScreenedEngine::most_candidates() {
  constexpr double cheap_cells = 64, most_of_sparse = 1 << 22;
  const double cost = layer_->is_stored() ? std::max(0.0, cheap_ + cost_otherwise() - spent())
                                          : std::numeric_limits<double>::infinity();
  return static_cast<std::size_t>(
      cheap_cells + std::min({cost / exact_->least_cost_of_cell(),
                              std::max(most_of_sparse, static_cast<double>(part_.held.count()))}));
}

/// The peaks among ascending cells after the first of the pending storms, by the rule; none if that
/// costs too much.
std::optional<std::vector<CellValue>> ScreenedEngine::confirmed(
    const std::vector<std::int64_t>& cells, std::size_t storms) {
  if (auto peaks = known_peaks(cells, storms)) {
    candidates_ += std::ssize(cells);
    return peaks;
  }
  const ExactLayer::Tiles tiles = tiles_around(cells, storms);
  if (!is_worth(layer_->work() + tiles.interactions)) return std::nullopt;
  confirmed_ += tiles.interactions;
  candidates_ += std::ssize(cells);
  return peaks_among(cells, tiles, exact_->values({&tiles, 1}).front());
}

/// Ascending cells with their neighbours.
ExactLayer::Tiles ScreenedEngine::tiles_around(const std::vector<std::int64_t>& cells,
                                               std::size_t storms) const {
  std::vector<CellRange> ranges;
  for (const std::int64_t cell : cells) ranges.push_back({cell, cell + 1});
  return exact_->tiles(widened(ranges, 1, part_.total), storms);
}

/// The peaks among ascending cells, whose values, and those of their neighbours, are these.
std::vector<CellValue> ScreenedEngine::peaks_among(const std::vector<std::int64_t>& cells,
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

/// The maxima of storms by all the arithmetic, which leaves the layer known: of the pending ones,
/// or of others where none is pending. The first `told` maxima are known already.
void ScreenedEngine::directly(std::span<const StormView> storms, std::size_t told, const char* why,
                              std::vector<Maximum>& maxima) {
  if (storms.empty()) return;
  if (layer_) {
    cheap_ -= std::clamp(spent() - cost_otherwise(), 0.0, cheap_);
    layer_->release();
  }
  const std::vector<Maximum> direct = exact_->apply(storms);
  maxima.insert(maxima.end(), direct.begin() + static_cast<std::ptrdiff_t>(told), direct.end());
  for (std::size_t i = told; i < direct.size(); ++i) {
    // The other ranks wait for what this one has to report about each storm.
    if (options_.others != nullptr && !is_told_) tell_all_ranks(direct[i].value);
    is_told_ = false;
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
    const auto fits = [&](const char* name) {
      return part_.total <= few_cells ||
             find_engine(name)->all_bytes(options_) <= available_host_memory();
    };
    const std::vector<const char*> names =
        in_double() ? std::vector{"cpu_double"} : std::vector{"cpu_fast", "cpu_direct"};
    const auto first = std::ranges::find_if(names, fits);
    stored_engine_ = first == names.end() ? nullptr : find_engine(*first);
  }
  return *stored_engine_;
}

/// Another layer, which is stored, takes the pending storms again. Returns why it does not, as
/// ScreenedLayer::add() does. `tells_on`: the one before it becomes told_by_.
const char* ScreenedEngine::store(const char* why, bool tells_on) {
  why_stored_ = why;
  const EngineEntry* const engine = stored_engine();
  try {
    const EngineEntry& needed =
        engine != nullptr ? *engine : *find_engine(in_double() ? "cpu_double" : "cpu_direct");
    needed.require_memory(options_);
    if (tells_on) told_by_ = std::move(layer_);
    layer_.reset();
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
  if (!is_sparse_ && storms_done() == options_.storms) return;
  while (kept_.size() < pending_.size()) {
    StormView& storm = pending_[kept_.size()];
    storm.impacts = kept_.emplace_back(storm.impacts.begin(), storm.impacts.end());
  }
}

void ScreenedEngine::forget_pending() {
  pending_.clear();
  kept_.clear();
  costed_ = 0;
  cost_otherwise_ = confirmed_ = 0;
}

// ---- The layer ----

Layer ScreenedEngine::layer() const {
  if (exact_ && pending_.empty()) return exact_->layer();
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
    store(too_many_candidates, true);
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
    auto peaks = screened_peaks(most, {pending_.size()}, why);
    if (!peaks && !layer_->is_stored()) {
      why = store("too many cells may be among the highest peaks");
      if (why == nullptr) peaks = screened_peaks(most, {pending_.size()}, why);
    }
    if (peaks) return *std::move(peaks);
    exact_->apply(pending_);
    forget_pending();
    begun_ = false;
  }
  if (layer_ && !layer_->is_stored()) return {};  // no storm has come
  return Engine::highest_peaks(count);
}

}  // namespace bombard
