// Almost none of the interactions, the same maxima: screen and confirm, storm by storm
// (sim/engines/screen_and_confirm.hpp).

#include <optional>
#include <utility>

#include "kernels/base/host_memory.hpp"
#include "kernels/convolution/convolved_layer.hpp"
#include "sim/engines/candidate_search.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/error_bound.hpp"
#include "sim/engines/exact_cells.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/screen_and_confirm.hpp"
#include "sim/engines/screening.hpp"

namespace bombard {

namespace {

template <class Law>
class CpuFast final : public Engine {
 public:
  CpuFast(const EngineOptions& options, const LayerRule<Law>& rule)
      : part_(with_margin(options.part, options.storms)),
        storms_(options.storms),
        rule_(rule),
        attenuation_(options.rule.attenuation),
        scale_(options.rule.scale_in_double(part_.total)),
        threads_(thread_count(options)),
        reaches_of_energies_(rule),
        bounds_(part_, rule, reaches_of_energies_),
        exact_(part_.total, rule, threads_) {
    reset();
  }

  std::vector<Maximum> apply(std::span<const Storm> storms) override {
    std::vector<Maximum> maxima;
    for (const Storm& storm : storms) maxima.push_back(apply(storm));
    return maxima;
  }

  void reset() override {
    storms_left_ = storms_;
    if (fast_) {
      fast_->clear();
    } else {
      fast_.emplace(part_.held.count(), attenuation_, scale_, fast_error, threads_);
    }
    bounds_ = StormBounds<Law>(part_, rule_, reaches_of_energies_);
    exact_ = ExactCells<Law>(part_.total, rule_, threads_);
    evidence_.clear();
    spent_ = 0;
  }

  std::vector<Evidence> evidence() const override { return evidence_; }

  std::vector<float> layer() const override {
    const std::span<const float> exact = exact_.values(part_.own);
    if (!exact.empty()) return {exact.begin(), exact.end()};
    std::vector<float> values(static_cast<std::size_t>(part_.own.count()), 0.0F);
    if (!fast_) return values;
    std::int64_t cell = part_.own_among_held().begin;
    for (float& value : values) value = static_cast<float>(fast_->value(cell++));
    return values;
  }

  std::vector<float> layer_uncertainty() const override {
    if (!fast_ || !exact_.values(part_.own).empty()) return {};
    const Screening screening = screened();
    std::vector<float> uncertainties(static_cast<std::size_t>(part_.own.count()));
    std::int64_t cell = part_.own_among_held().begin;
    for (float& uncertainty : uncertainties) {
      const double value = fast_->value(cell);
      uncertainty = uncertainty_once_rounded(value, screening.upper(cell) - value);
      ++cell;
    }
    return uncertainties;
  }

 private:
  Maximum apply(const Storm& storm) {
    --storms_left_;
    const StormExtent found = extent_of(storm.impacts);
    const bool shares_end = !every_share_counts(rule_, found, part_.held);
    take(storm.impacts, shares_end);
    if (!fast_) return directly(bounds_.why_none());

    std::optional<StormBound> bound;
    if (bounds_.may_take(found.impacts)) {
      bound = bounds_.after(storm.impacts, found,
                            {.relative = fast_->relative_error(), .of_end = fast_->cut_error()});
    }
    if (!bound) {
      fast_.reset();
      return directly(bounds_.why_none());
    }
    sum(*bound);
    return confirmed(found.impacts);
  }

  /// Writes the storm's impacts, but for those without energy, which change nothing, as the rule
  /// and as the convolution take them.
  void take(std::span<const Impact> all, bool shares_end) {
    std::vector<ScaledImpact> impacts;
    impacts.reserve(all.size());
    deposits_.clear();
    deposits_.reserve(all.size());
    reaches_.clear();
    for (const Impact& impact : all) {
      if (impact.energy == 0) continue;
      std::int32_t reach = ScaledImpact::any;
      if (shares_end) {
        reaches_.push_back(reaches_of_energies_.of(impact.energy));
        reach = reach_of_impact(reaches_.back());
      }
      impacts.push_back(scaled(rule_, impact, reach));
      deposits_.push_back({impact.position - part_.held.begin, impact.energy});
    }
    exact_.add_storm(std::move(impacts));
  }

  /// The fast layer takes the storm.
  void sum(const StormBound& bound) {
    if (bound.tracked_from) {
      require_host_memory(part_.held.count() * static_cast<std::int64_t>(sizeof(float)),
                          "the uncertainty of every cell");
      fast_->track_uncertainty(*bound.tracked_from);
    }
    if (fast_->tracks_uncertainty()) {
      fast_->apply(deposits_, {bound.uncertainty, bound.growth}, reaches_);
    } else {
      fast_->apply(deposits_, reaches_);
    }
  }

  Screening screened() const {
    return {*fast_, bounds_.factor(), bounds_.absolute(), part_.own_among_held()};
  }

  /// The rule's maximum from the candidates that the fast layer leaves.
  Maximum confirmed(std::int64_t impacts) {
    const Screening screening = screened();
    CandidateSearch<Law> candidates(part_, screening, impacts, exact_, spent_);
    const std::optional<Maximum> maximum = candidates.search();
    if (!maximum) return directly(too_many_candidates);
    evidence_.push_back({false, candidates.candidates(), candidates.bound_at_peak()});
    return *maximum;
  }

  /// The maximum from the whole layer by the rule, from which later storms go on.
  Maximum directly(const char* why) {
    const CellRange needed = with_margin(part_, storms_left_).held;
    require_host_memory(2 * needed.count() * static_cast<std::int64_t>(sizeof(float)),
                        "the whole layer by the rule");
    exact_.evaluate({needed});
    exact_.forget_earlier_storms();
    spent_ = 0;
    evidence_.push_back(directly_computed(part_, why));
    return largest_peak(exact_, part_.own, part_.total);
  }

  Part part_;
  std::int64_t storms_, storms_left_;
  LayerRule<Law> rule_;
  Attenuation attenuation_;
  double scale_;
  int threads_;
  Reaches reaches_of_energies_;
  StormBounds<Law> bounds_;
  std::optional<cpu::ConvolvedLayer> fast_;  ///< the cells held; none once no bound holds
  std::vector<Deposit> deposits_;            ///< of the last storm
  std::vector<std::int64_t> reaches_;        ///< of each of them; none when every share counts
  ExactCells<Law> exact_;
  /// Interactions for candidates since the whole layer was last known: as many as the whole layer
  /// costs, and it is computed after all. So the work is never more than twice the direct one.
  double spent_ = 0;
  std::vector<Evidence> evidence_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_fast(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).held.count();
  require_host_memory(cpu::ConvolvedLayer::bytes(cells, false), "cpu_fast");
  return with_law(options.rule, options.part.total,
                  [&]<class Law>(const LayerRule<Law>& rule) -> std::unique_ptr<Engine> {
                    return std::make_unique<CpuFast<Law>>(options, rule);
                  });
}

}  // namespace bombard
