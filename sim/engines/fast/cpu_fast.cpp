// Almost none of the interactions, the same maxima: screen and confirm, storm by storm
// (sim/engines/fast/screen_and_confirm.hpp).

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/base/host_memory.hpp"
#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "sim/engines/direct/cpu_direct.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/fast/candidate_search.hpp"
#include "sim/engines/fast/error_bound.hpp"
#include "sim/engines/fast/exact_cells.hpp"
#include "sim/engines/fast/screen_and_confirm.hpp"
#include "sim/engines/fast/screening.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

namespace {

// Two copies of an impact, of the pending storms and as the rule has it; its reach; and what the
// convolution keeps of it (bytes_an_impact in cpu_double.cpp).
constexpr std::int64_t bytes_of_screened_impact =
    sizeof(Impact) + sizeof(ScaledImpact) + sizeof(std::int64_t) + 25;

// Candidates that lie apart are counted more slowly than computed one by one, unless counting takes
// less than this part of the time: 1e7 cells x 50000 impacts (0.51) 1.30 s counted, 0.34 s not.
constexpr double most_time_for_candidates = 0.3;

class CpuFast final : public DenseEngine {
 public:
  explicit CpuFast(const EngineOptions& options)
      : part_(with_margin(options.part, options.storms)),
        rule_(options.rule),
        others_(options.others),
        counted_storm_(options.keep_layer ? options.storms : options.storms - 1),
        of_direct_(options.speed_of_interactions),
        threads_(thread_count(options)),
        reaches_of_energies_(layer_rule(rule_, part_.total)),
        direct_(options),
        bound_(part_, rule_, reaches_of_energies_),
        exact_(part_.total, rule_, threads_) {}

  std::vector<Maximum> apply(std::span<const StormView> storms) override {
    std::vector<Maximum> maxima;
    std::size_t done = 0;
    for (std::size_t i = 0; i < storms.size(); ++i) {
      const StormCosts costs = costs_of(storms[i]);
      // From a layer that is known, storms that all the arithmetic serves as quickly wait for each
      // other.
      if (pending_.empty() && costs.direct + cheap_ <= costs.fast) continue;
      directly(storms.subspan(done, i - done), costs_no_more, maxima);
      screen(storms[i], costs, maxima);
      done = i + 1;
    }
    directly(storms.subspan(done), costs_no_more, maxima);
    return maxima;
  }

  void begin_with(const LayerView& held) override { direct_.begin_with(held); }

  void reset() override {
    direct_.reset();
    pending_.clear();
    spent_ = pending_cost_ = 0;
    evidence_.clear();
    cheap_ = cheap_interactions;
  }

  std::vector<Evidence> evidence() const override { return evidence_; }

  Layer layer() const override {
    if (pending_.empty()) return direct_.layer();
    std::vector<float> values(static_cast<std::size_t>(part_.own.count()));
    std::int64_t cell = part_.own_among_held().begin;
    for (float& value : values) value = static_cast<float>(fast_->value(cell++));
    return values;
  }

  std::vector<float> layer_uncertainty() const override {
    if (pending_.empty()) return {};
    const LayerScreening screening = screened();
    std::vector<float> uncertainties(static_cast<std::size_t>(part_.own.count()));
    std::int64_t cell = part_.own.begin;
    for (float& uncertainty : uncertainties) {
      const double value = fast_->value(cell - part_.held.begin);
      uncertainty = uncertainty_once_rounded(value, screening.upper(cell) - value);
      ++cell;
    }
    return uncertainties;
  }

 private:
  double cells() const { return static_cast<double>(part_.held.count()); }

  /// Finds the reaches of the storm, too.
  StormCosts costs_of(const StormView& storm) {
    const auto impacts = static_cast<double>(storm.impacts.size());
    time_of_storm_ = direct_.time_of(storm);
    double interactions = cells() * impacts * time_of_storm_;
    reaches_ = reaches_of_energies_.of(storm, part_.held);
    if (!reaches_.empty()) {
      interactions = 0;
      for (const std::int64_t reach : reaches_) {
        interactions += std::min(2 * static_cast<double>(reach), cells());
      }
    }
    return costs_of_storm(cells(), impacts, interactions, pending_.empty(), of_direct_);
  }

  /// The fast layer takes a storm, and what it leaves of the cells is confirmed.
  void screen(const StormView& storm, const StormCosts& costs, std::vector<Maximum>& maxima) {
    const auto impacts = static_cast<std::int64_t>(storm.impacts.size());
    require_host_memory(impacts * bytes_of_screened_impact,
                        fmt::format("a storm of {} impacts", impacts));
    if (pending_.empty()) begin_screening();
    others_told_ = false;
    pending_.push_back(copy_of(storm));
    pending_cost_ += costs.direct;
    spent_ += costs.fast;
    const std::optional<Maximum> maximum =
        spent_ < most_spent() ? screened_maximum(storm) : give_up(costs_no_more);
    if (maximum) {
      maxima.push_back(*maximum);
      return;
    }
    std::vector<Maximum> all;
    directly(views_of(pending_, threads_), why_direct_, all);
    maxima.push_back(all.back());
  }

  std::optional<Maximum> give_up(const char* why) {
    why_direct_ = why;
    return std::nullopt;
  }

  double most_spent() const { return most_screening * pending_cost_ + cheap_; }

  /// Begins anew from a layer that is known to the last bit.
  void begin_screening() {
    if (!fast_) {
      const std::int64_t cells = part_.held.count();
      fast_.emplace(Slab{0, cells, cells}, rule_.attenuation, rule_.scale_in_double(part_.total),
                    fast_error, threads_);
    }
    const std::span<const float> held = direct_.held();
    if (held.empty()) {
      fast_->clear();
      exact_.begin_with({{0, part_.total}, {}});
      exact_everywhere_ = true;
    } else {
      fast_->begin_with(held);
      const CellRange right = direct_.right_cells();
      exact_.begin_with({right, slice(held, right.counted_from(part_.held.begin))});
      exact_everywhere_ = false;
    }
    bound_ = ErrorBound(part_, rule_, reaches_of_energies_, held);
  }

  std::optional<Maximum> screened_maximum(const StormView& storm) {
    const bool all_count =
        every_share_counts(reaches_of_energies_.rule(), storm.extent, {0, part_.total});
    // Before the last storm, a layer that is known as a whole serves the next storms better.
    const bool last = static_cast<std::int64_t>(evidence_.size()) == counted_storm_;
    const bool counts = last && time_of_storm_ < most_time_for_candidates;
    exact_.add_storm(storm.impacts, reaches_, all_count, counts ? time_of_storm_ : 1);
    // Reaches are known where shares end in the cells held.
    exact_everywhere_ &= !reaches_.empty() || all_count;
    if (!bound_.add_storm(storm, fast_->relative_error(), fast_->cut_error())) {
      return give_up(bound_.why_none());
    }
    sum(storm.impacts);
    return confirmed();
  }

  /// The fast layer takes the storm.
  void sum(std::span<const Impact> impacts) {
    if (const std::optional<double> factor_before = bound_.tracked_from()) {
      require_host_memory(part_.held.count() * static_cast<std::int64_t>(sizeof(float)),
                          "the uncertainty of every cell");
      fast_->track_uncertainty(*factor_before);
    }
    cpu::LayerStorm storm{
        .impacts = impacts, .reaches = reaches_, .uncertainty = {}, .origin = part_.held.begin};
    if (fast_->tracks_uncertainty()) storm.uncertainty = bound_.of_last_storm();
    fast_->apply(storm);
  }

  LayerScreening screened() const { return {*fast_, part_, bound_.factor(), bound_.absolute()}; }

  /// The rule's maximum from the candidates that the fast layer leaves.
  std::optional<Maximum> confirmed() {
    const LayerScreening screening = screened();
    CandidateSearch candidates(part_.total, screening, exact_,
                               {.interactions = most_spent() - spent_,
                                .bytes = most_bytes_of_candidates(part_.held.count())});
    others_told_ = true;
    std::optional<Maximum> maximum;
    if (others_ != nullptr) {
      maximum = candidates.search_with(*others_, exact_everywhere_);
    } else if (const auto peaks = candidates.highest_peaks(1)) {
      maximum = first_of(*peaks);
    }
    spent_ += candidates.interactions();
    if (!maximum) return give_up(too_many_candidates);
    evidence_.push_back(
        {false, candidates.candidates(), screening.relative_bound(maximum->position)});
    return maximum;
  }

  /// The maxima of storms by all the arithmetic, which leaves the layer known. Those that were
  /// screened have been told already.
  void directly(std::span<const StormView> storms, const char* why, std::vector<Maximum>& maxima) {
    if (storms.empty()) return;
    const std::vector<Maximum> direct = direct_.apply(storms);
    maxima.insert(maxima.end(), direct.begin(), direct.end());
    const std::size_t new_ones = pending_.empty() ? storms.size() : 1;
    evidence_.insert(evidence_.end(), new_ones, directly_computed(part_, why));
    // The others wait for what this part has to tell of each storm.
    for (const Maximum& maximum : std::span(direct).last(new_ones)) {
      if (others_ == nullptr || (!pending_.empty() && others_told_)) break;
      CandidateSearch::tell(*others_, maximum.value);
    }
    cheap_ -= std::clamp(spent_ - pending_cost_, 0.0, cheap_);
    pending_.clear();
    spent_ = pending_cost_ = 0;
  }

  Part part_;
  Rule rule_;
  Communicator* others_;      ///< EngineOptions'
  bool others_told_ = false;  ///< of the storm that is screened
  /// The number, from 0, of the storm whose candidates are counted: the last one, if nothing is
  /// asked of the layer then.
  std::int64_t counted_storm_;
  double of_direct_;  ///< how many times as much a pass costs, in interactions, as was measured
  int threads_;
  Reaches reaches_of_energies_;
  CpuDirect direct_;            ///< the layer before the pending storms, known to the last bit
  std::vector<Storm> pending_;  ///< those that were screened since
  std::optional<cpu::ConvolvedLayer> fast_;  ///< the cells held, after the pending storms
  ErrorBound bound_;
  std::vector<std::int64_t> reaches_;  ///< of the last storm's impacts; none: every share counts
  double time_of_storm_ = 1;           ///< CpuDirect's, of the last storm
  ExactCells exact_;                   ///< from the layer that is known on
  bool exact_everywhere_ = false;      ///< whether it can compute cells that are not held
  /// For the pending storms: the cost of all the arithmetic, and the cost of screening so far.
  double pending_cost_ = 0, spent_ = 0;
  double cheap_ = cheap_interactions;  ///< the rest of them
  const char* why_direct_ = "";
  std::vector<Evidence> evidence_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_fast(const EngineOptions& options) {
  return std::make_unique<CpuFast>(options);
}

}  // namespace bombard
