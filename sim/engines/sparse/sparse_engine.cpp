#include "sim/engines/sparse/sparse_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "sim/engines/costs.hpp"

namespace bombard {

namespace {

// The memory of this number of impacts, 40 MB, is always there, and asking takes longer than
// computing them.
constexpr std::int64_t few_impacts = 100'000;
// A layer of this number of cells fits always.
constexpr std::int64_t few_cells = std::int64_t{1} << 20;

/// How many cells impacts fall on.
std::int64_t cells_hit(std::span<const Impact> impacts) {
  std::vector<std::int64_t> cells;
  cells.reserve(impacts.size());
  for (const Impact& impact : impacts) cells.push_back(impact.position);
  std::ranges::sort(cells);
  return std::unique(cells.begin(), cells.end()) - cells.begin();  // Clang 14 has no subranges
}

}  // namespace

SparseEngine::SparseEngine(const EngineOptions& options, std::vector<const char*> dense_engines)
    : options_(options), dense_engines_(std::move(dense_engines)) {}

const char* SparseEngine::why_not(const StormView& storm, bool shares_end) {
  const std::int64_t impacts = storm.extent.impacts;
  if (storm.extent.negative) return "an energy is negative";
  if (storms_.size() > most_sparse_storms) return "there are more than 1000 storms";
  stored_ += cost_when_stored(impacts);
  const double spent = spent_ + cost_of_shares(layer().shares_added());
  double cost = 0;
  const auto why_not_with = [&](std::int64_t sources) -> const char* {
    if (neighbourhoods_cover(static_cast<double>(layer().neighbourhood_cells(sources, shares_end)),
                             static_cast<double>(options_.part.total))) {
      return "the neighbourhoods of impacts cover the layer";
    }
    cost = cost_of_source * options_.speed_of_interactions *
           static_cast<double>(layer().sources() + sources);
    return spent + cost > stored_ + cheap_interactions ? "a stored layer takes less time" : nullptr;
  };
  const char* why = why_not_with(impacts);
  if (why != nullptr) why = why_not_with(cells_hit(storm.impacts));
  spent_ += cost;
  return why;
}

double SparseEngine::cost_of_shares(std::int64_t shares) const {
  return cost_of_share * options_.speed_of_interactions * static_cast<double>(shares);
}

double SparseEngine::most_shares() const {
  return (stored_ + cheap_interactions - spent_) / cost_of_shares(1);
}

const EngineEntry* SparseEngine::dense_that_fits() {
  if (fits_) return *fits_;
  fits_ = nullptr;
  for (const char* name : dense_engines_) {
    const EngineEntry* const entry = find_engine(name);
    const bool fits =
        options_.part.total <= few_cells || entry->all_bytes(options_) <= available_host_memory();
    if (fits && *fits_ == nullptr) fits_ = entry;
  }
  return *fits_;
}

/// Without end where no memory holds the layer.
double SparseEngine::cost_when_stored(std::int64_t impacts) {
  const EngineEntry* const dense = dense_that_fits();
  if (dense == nullptr) return std::numeric_limits<double>::infinity();
  const auto cells = static_cast<double>(options_.part.total);
  const auto count = static_cast<double>(impacts);
  const StormCosts costs =
      costs_of_storm(cells, count, cells * count, false, options_.speed_of_interactions);
  if (dense->method == Method::direct) return costs.direct;
  return dense->precision == Precision::binary64 ? costs.fast : std::min(costs.direct, costs.fast);
}

auto SparseEngine::deposits_of(std::span<const Impact> impacts,
                               std::span<const std::int64_t> reaches) const -> SparseDeposits {
  const CellRange layer{0, options_.part.total};
  SparseDeposits made;
  made.deposits.reserve(impacts.size());
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const Impact& impact = impacts[i];
    if (impact.energy == 0) continue;
    if (!reaches.empty()) {
      const std::int64_t reach = reaches[i];
      const CellRange counted{impact.position - reach + 1, impact.position + reach};
      if (counted.common(layer).count() <= 0) continue;
      made.reaches.push_back(counted.contains(layer) ? reaches_everywhere : reach);
    }
    made.deposits.push_back(impact);
  }
  return made;
}

std::optional<std::vector<CellValue>> SparseEngine::highest_peaks(
    const SparseScreening& screening, std::size_t count,
    const std::function<std::optional<std::vector<CellValue>>(double least)>& peaks_from) {
  for (std::size_t tried = count;; tried *= 2) {
    const std::vector<std::int64_t> best = screening.best_peaks(tried);
    const double least = best.size() < tried ? 0 : std::max(0.0, screening.lower(best.back()));
    std::optional<std::vector<CellValue>> peaks = peaks_from(least);
    if (peaks && peaks->size() < count && least > 0) continue;
    if (peaks) peaks->resize(std::min(peaks->size(), count));
    return peaks;
  }
}

std::vector<Maximum> SparseEngine::apply(std::span<const StormView> storms) {
  std::vector<Maximum> maxima;
  std::size_t next = 0;
  while (next < storms.size() && !dense_) {
    const StormView& storm = storms[next++];
    keep(storm);
    if (const std::optional<Found> found = find_maximum(storm)) {
      maxima.push_back(found->maximum);
      evidence_.push_back(found->evidence);
    } else {
      maxima.push_back(begin_densely());
    }
  }
  if (next < storms.size()) {
    const std::vector<Maximum> rest = dense_->apply(storms.subspan(next));
    maxima.insert(maxima.end(), rest.begin(), rest.end());
  }
  storms_done_ += storms.size();
  return maxima;
}

void SparseEngine::keep(const StormView& storm) {
  impacts_unasked_ += static_cast<std::int64_t>(storm.impacts.size());
  if (impacts_unasked_ > few_impacts) {
    require_host_memory(impacts_unasked_ * bytes_of_impact,
                        fmt::format("storms of {} impacts", impacts_unasked_));
    impacts_unasked_ = 0;
  }
  storms_.push_back(copy_of(storm));
}

/// The dense engine takes all storms so far: the last one's maximum.
Maximum SparseEngine::begin_densely() {
  forget_storms();
  for (const char* name : dense_engines_) {
    try {
      dense_ = find_engine(name)->make(options_);
      break;
    } catch (const CannotRun& error) {
      if (name != dense_engines_.back()) continue;
      throw CannotRun(
          fmt::format("{}; the layer has to be stored because {}", error.what(), why_dense_));
    }
  }
  const Maximum last = dense_->apply(storms_).back();
  storms_.clear();
  return last;
}

void SparseEngine::reset() {
  forget_storms();
  dense_.reset();
  storms_.clear();
  storms_done_ = 0;
  stored_ = spent_ = 0;
  impacts_unasked_ = 0;
  evidence_.clear();
}

LayerAnswer SparseEngine::answer(const LayerQuestion& question) {
  if (!dense_) {
    // The answer is not charged to the storms.
    const std::int64_t before = layer().shares_added();
    LayerAnswer answer{find_values(question.cells), {}};
    std::optional<std::vector<CellValue>> found(std::in_place);
    if (question.peaks > 0) found = find_peaks(static_cast<std::size_t>(question.peaks));
    spent_ -= cost_of_shares(layer().shares_added() - before);
    if (found) {
      answer.peaks = *std::move(found);
      return answer;
    }
    begin_densely();
  }
  return dense_->answer(question);
}

std::vector<Evidence> SparseEngine::evidence() const {
  std::vector<Evidence> all = evidence_;
  if (!dense_) return all;
  const std::vector<Evidence> dense = dense_->evidence();
  while (all.size() < storms_done_) {
    all.push_back(all.size() < dense.size() ? dense[all.size()] : Evidence{.true_sums = true});
    all.back().why_dense = why_dense_;
  }
  return all;
}

}  // namespace bombard
