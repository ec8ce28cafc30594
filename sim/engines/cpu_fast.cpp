// Almost none of the interactions, the same maxima: screen and confirm, storm by storm
// (sim/engines/screen_and_confirm.hpp).

#include <optional>
#include <utility>

#include "kernels/base/host_memory.hpp"
#include "kernels/convolution/convolved_layer.hpp"
#include "kernels/layer/attenuation.hpp"
#include "sim/engines/candidate_search.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/error_bound.hpp"
#include "sim/engines/exact_cells.hpp"
#include "sim/engines/screen_and_confirm.hpp"
#include "sim/engines/screening.hpp"

namespace bombard {

namespace {

template <class Law>
class CpuFast final : public Engine {
 public:
  explicit CpuFast(const EngineOptions& options)
      : part_(with_margin(options.part, options.storms)),
        storms_(options.storms),
        smallest_(smallest_share(options.threshold, part_.total)),
        threads_(thread_count(options)),
        bounds_(part_, smallest_),
        exact_(part_.total, smallest_, threads_) {
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
      fast_.emplace(part_.held.count(), square_root_attenuation,
                    1000.0 / static_cast<double>(part_.total), fast_error, threads_);
    }
    bounds_ = StormBounds<Law>(part_, smallest_);
    exact_ = ExactCells<Law>(part_.total, smallest_, threads_);
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
    const StormExtent found = take(storm);
    if (!fast_) return directly(bounds_.why_none());

    std::optional<StormBound> bound;
    if (bounds_.take(found.impacts, fast_->relative_error())) bound = bounds_.after(storm, found);
    if (!bound) {
      fast_.reset();
      return directly(bounds_.why_none());
    }
    sum(*bound);
    return confirmed(found.impacts);
  }

  /// Writes the storm's impacts, but for those without energy, which change nothing, as the rule
  /// and as the convolution take them.
  StormExtent take(const Storm& storm) {
    StormExtent found;
    std::vector<ScaledImpact> impacts;
    impacts.reserve(storm.impacts.size());
    deposits_.clear();
    deposits_.reserve(storm.impacts.size());
    for (const Impact& impact : storm.impacts) {
      if (impact.energy == 0) continue;
      found.add(impact);
      impacts.push_back(scaled(impact, part_.total));
      deposits_.push_back({impact.position - part_.held.begin, impact.energy});
    }
    exact_.add_storm(std::move(impacts));
    return found;
  }

  /// The fast layer takes the storm.
  void sum(const StormBound& bound) {
    if (bound.tracked_from) {
      require_host_memory(part_.held.count() * static_cast<std::int64_t>(sizeof(float)),
                          "the uncertainty of every cell");
      fast_->track_uncertainty(*bound.tracked_from);
    }
    if (fast_->tracks_uncertainty()) {
      fast_->apply(deposits_, {bound.uncertainty, bound.growth});
    } else {
      fast_->apply(deposits_);
    }
  }

  Screening screened() const { return {*fast_, bounds_.factor(), part_.own_among_held()}; }

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
  float smallest_;
  int threads_;
  StormBounds<Law> bounds_;
  std::optional<cpu::ConvolvedLayer> fast_;  ///< the cells held; none once no bound holds
  std::vector<Deposit> deposits_;            ///< of the last storm
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
  return std::make_unique<CpuFast<SquareRootLaw>>(options);
}

}  // namespace bombard
