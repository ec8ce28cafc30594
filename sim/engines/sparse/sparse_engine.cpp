#include "sim/engines/sparse/sparse_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/fast/screen_and_confirm.hpp"

namespace bombard {

namespace {

// The memory of this number of impacts, 40 MB, is always there, and asking takes longer than
// computing them.
constexpr std::int64_t few_impacts = 100'000;
// A layer of this number of cells fits always.
constexpr std::int64_t few_cells = std::int64_t{1} << 20;

/// How many cells of a layer of `cells` cells impacts fall on; all beside it fall on its ends.
std::int64_t cells_hit(std::span<const Impact> impacts, std::int64_t cells) {
  std::vector<bool> hit(static_cast<std::size_t>(cells));
  std::int64_t count = 0;
  for (const Impact& impact : impacts) {
    const auto cell = std::clamp<std::int64_t>(impact.position, 0, cells - 1);
    count += hit[static_cast<std::size_t>(cell)] ? 0 : 1;
    hit[static_cast<std::size_t>(cell)] = true;
  }
  return count;
}

}  // namespace

SparseEngine::SparseEngine(const EngineOptions& options, double relative_error,
                           std::vector<const char*> dense_engines)
    : options_(options),
      reaches_(layer_rule(options.rule, options.part.total)),
      layer_(options.part.total, options.rule.attenuation,
             options.rule.scale_in_double(options.part.total), relative_error),
      dense_engines_(std::move(dense_engines)) {}

/// Why the layer does not take a storm: it needs positive energies, few neighbourhoods, and less
/// time than a layer that is stored.
const char* SparseEngine::why_not(const StormView& storm, bool shares_end) {
  const std::int64_t impacts = storm.extent.impacts;
  if (storm.extent.negative) return "an energy is negative";
  if (storms_.size() > most_sparse_storms) return "there are more than 1000 storms";
  double cost = 0;
  const auto why_not_with = [&](std::int64_t sources) -> const char* {
    if (neighbourhoods_cover(static_cast<double>(layer_.neighbourhood_cells(sources, shares_end)),
                             static_cast<double>(options_.part.total))) {
      return "the neighbourhoods of impacts cover the layer";
    }
    cost = cost_of_source * options_.speed_of_interactions *
           static_cast<double>(layer_.sources() + sources);
    return takes_too_long(cost) ? "a stored layer takes less time" : nullptr;
  };
  const char* why = why_not_with(impacts);
  // Impacts on one cell are one source.
  if (why != nullptr) why = why_not_with(cells_hit(storm.impacts, options_.part.total));
  if (why == nullptr) spent_ += cost;
  return why;
}

bool SparseEngine::takes_too_long(double more) {
  const double cost =
      cost_of_share * options_.speed_of_interactions * static_cast<double>(layer_.shares_added()) +
      spent_ + more - cheap_interactions;
  if (cost <= 0) return false;  // however long a stored layer takes
  for (; stored_storms_ < storms_.size(); ++stored_storms_) {
    stored_ += cost_when_stored(std::ssize(storms_[stored_storms_].impacts));
  }
  return cost > stored_;
}

const EngineEntry* SparseEngine::dense_that_fits() {
  if (fits_) return *fits_;
  const auto fits = [&](const char* name) {
    return options_.part.total <= few_cells ||
           find_engine(name)->all_bytes(options_) <= available_host_memory();
  };
  const auto first = std::ranges::find_if(dense_engines_, fits);
  fits_ = first == dense_engines_.end() ? nullptr : find_engine(*first);
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

/// The maximum of the next storm, if it is one for this layer: all impacts but those that count in
/// no cell go there.
std::optional<Maximum> SparseEngine::sparsely(const StormView& storm) {
  const CellRange cells{0, options_.part.total};
  const bool shares_end = !every_share_counts(reaches_.rule(), storm.extent, cells);
  if (const char* why = why_not(storm, shares_end)) return say_why(why);
  const std::vector<std::int64_t> reaches = reaches_.of(storm, cells);
  std::vector<Impact> deposits;
  std::vector<std::int64_t> of_deposits;
  deposits.reserve(storm.impacts.size());
  for (std::size_t i = 0; i < storm.impacts.size(); ++i) {
    const Impact& impact = storm.impacts[i];
    if (impact.energy == 0) continue;
    if (shares_end) {
      const CellRange counted{impact.position - reaches[i] + 1, impact.position + reaches[i]};
      if (counted.common(cells).count() <= 0) continue;
      of_deposits.push_back(counted.contains(cells) ? reaches_everywhere : reaches[i]);
    }
    deposits.push_back(impact);
  }
  layer_.add_storm(deposits, of_deposits);
  if (layer_.has_too_much_excess()) return say_why("many shares count and many do not");
  if (const char* why = why_unproved(storm, reaches)) return say_why(why);
  Evidence evidence;
  const std::optional<std::vector<CellValue>> found = peaks(1, evidence);
  if (!found) return say_why(too_many_candidates);
  evidence_.push_back(evidence);
  return first_of(*found);
}

/// First with the shares that do not count, then without.
std::optional<std::vector<CellValue>> SparseEngine::peaks(std::size_t count, Evidence& evidence) {
  auto found = find_peaks(count, evidence);
  return found || !layer_.drop_excess() ? found : find_peaks(count, evidence);
}

std::vector<Maximum> SparseEngine::apply(std::span<const StormView> storms) {
  std::vector<Maximum> maxima;
  std::size_t next = 0;
  while (next < storms.size() && !dense_) {
    const StormView& storm = storms[next++];
    keep(storm);
    const std::optional<Maximum> maximum = sparsely(storm);
    maxima.push_back(maximum ? *maximum : begin_densely());
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
  const EngineEntry* const fits = dense_that_fits();
  try {
    dense_ = (fits != nullptr ? fits : find_engine(dense_engines_.back()))->make(options_);
  } catch (const CannotRun& error) {
    throw CannotRun(
        fmt::format("{}; the layer has to be stored because {}", error.what(), why_dense_));
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
  stored_storms_ = 0;
  stored_ = spent_ = 0;
  impacts_unasked_ = 0;
  evidence_.clear();
}

std::vector<CellValue> SparseEngine::values_at(std::span<const CellRange> cells) {
  return dense_ ? dense_->values_at(cells) : find_values(cells);
}

std::vector<CellValue> SparseEngine::highest_peaks(std::int64_t count) {
  if (count == 0) return {};
  if (!dense_) {
    Evidence evidence;
    auto found = peaks(static_cast<std::size_t>(count), evidence);
    if (found) return *std::move(found);
    say_why("too many cells may be among the highest peaks");
    begin_densely();
  }
  return dense_->highest_peaks(count);
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
