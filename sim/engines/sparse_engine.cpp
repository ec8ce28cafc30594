#include "sim/engines/sparse_engine.hpp"

#include <fmt/format.h>

#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "sim/engines/costs.hpp"

namespace bombard {

namespace {

// The memory of so many, 40 MB, is always there, and to ask takes longer than to compute them.
constexpr std::int64_t few_impacts = 100'000;
}  // namespace

SparseEngine::SparseEngine(const EngineOptions& options, std::vector<const char*> dense_engines)
    : options_(options), dense_engines_(std::move(dense_engines)) {}

const char* SparseEngine::why_not(const StormExtent& extent,
                                  std::int64_t neighbourhood_cells) const {
  if (extent.negative) return "an energy is negative";
  if (storms_.size() > most_sparse_storms) return "there are more than 1000 storms";
  if (neighbourhoods_cover(static_cast<double>(neighbourhood_cells),
                           static_cast<double>(options_.part.total))) {
    return "the neighbourhoods of impacts cover the layer";
  }
  return nullptr;
}

const char* SparseEngine::why_not(const cpu::SparseLayer& layer) {
  const bool too_much = too_much_excess(layer.excess(), layer.highest_own_share());
  return too_much ? "many shares count and many do not" : nullptr;
}

auto SparseEngine::deposits_of(std::span<const Impact> impacts, bool shares_end,
                               Reaches& reaches) const -> SparseDeposits {
  const CellRange layer{0, options_.part.total};
  SparseDeposits made;
  made.deposits.reserve(impacts.size());
  for (const Impact& impact : impacts) {
    if (impact.energy == 0) continue;
    if (shares_end) {
      const std::int64_t reach = reaches.of(impact.energy);
      const CellRange counted{impact.position - reach + 1, impact.position + reach};
      if (counted.common(layer).count() <= 0) continue;
      made.reaches.push_back(counted.contains(layer) ? reaches_everywhere : reach);
    }
    made.deposits.push_back({impact.position, impact.energy});
  }
  return made;
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
  impacts_unasked_ = 0;
  evidence_.clear();
}

LayerAnswer SparseEngine::answer(const LayerQuestion& question) {
  if (!dense_) {
    LayerAnswer answer{find_values(question.cells), {}};
    if (question.peaks < 1) return answer;
    if (auto found = find_peaks(static_cast<std::size_t>(question.peaks))) {
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
