// Almost none of the interactions, the same maxima (docs/methods.md): the layer in binary64 by
// exponential sums, then the few cells that may be the maximum by the rule itself.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "kernels/base/host_memory.hpp"
#include "kernels/convolution/convolved_layer.hpp"
#include "kernels/layer/attenuation.hpp"
#include "kernels/layer/max_location.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/exact_cells.hpp"
#include "sim/engines/screening.hpp"

namespace bombard {

namespace {

// An interaction of a narrow range of cells costs as much as so many of the whole layer's.
constexpr double narrow_cost = 3;
// A cell's interactions are computed by vectors of so many.
constexpr double vector_cells = 16;
// So many interactions are no reason to give up.
constexpr double cheap = 1e5;

template <class Law>
class CpuFast final : public Engine {
 public:
  explicit CpuFast(const EngineOptions& options)
      : part_(options.part),
        held_(with_margin(options.part, options.storms)),
        storms_(options.storms),
        smallest_(smallest_share(options.threshold, options.part.total)),
        threads_(thread_count(options)),
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
      fast_.emplace(held_.count, Law::power, 1000.0 / static_cast<double>(part_.total), fast_error,
                    threads_);
    }
    bound_ = ErrorBound();
    exact_ = ExactCells<Law>(part_.total, smallest_, threads_);
    evidence_.clear();
    spent_ = 0;
  }

  std::vector<Evidence> evidence() const override { return evidence_; }

  std::vector<float> layer() const override {
    const std::span<const float> exact = exact_.values(own());
    if (!exact.empty()) return {exact.begin(), exact.end()};
    std::vector<float> values(static_cast<std::size_t>(part_.count), 0.0F);
    for (std::int64_t i = 0; fast_ && i < part_.count; ++i) {
      values[i] = static_cast<float>(fast_->value(held_.offset + i));
    }
    return values;
  }

  std::vector<float> layer_uncertainty() const override {
    if (!fast_ || !exact_.values(own()).empty()) return {};
    const Screening screening = screened();
    std::vector<float> uncertainty(static_cast<std::size_t>(part_.count));
    for (std::int64_t i = 0; i < part_.count; ++i) {
      const double value = fast_->value(held_.offset + i);
      const double bound = screening.upper(held_.offset + i) - value;
      // And what rounding the value to binary32 takes.
      uncertainty[i] = rounded_up(bound + std::fabs(value) * 0x1p-24);
    }
    return uncertainty;
  }

 private:
  CellRange own() const { return {part_.first, part_.first + part_.count - 1}; }

  Maximum apply(const Storm& storm) {
    --storms_left_;
    std::vector<ScaledImpact> impacts;
    std::vector<Deposit> deposits;
    impacts.reserve(storm.impacts.size());
    deposits.reserve(storm.impacts.size());
    bool both_signs = false;
    for (const Impact& impact : storm.impacts) {
      if (impact.energy == 0) continue;
      impacts.push_back({impact.position, scaled_energy(impact.energy, part_.total)});
      deposits.push_back({impact.position - held_.first, impact.energy, 0});
      both_signs |= impact.energy < 0;
    }
    const bool all_count =
        every_share_counts<Law>(impacts, smallest_, held_.first, held_.first + held_.count - 1);
    exact_.add_storm(std::move(impacts));
    if (!fast_) return directly(nothing_proved_);

    const auto count = static_cast<std::int64_t>(deposits.size());
    impacts_of_last_ = std::max<double>(1, static_cast<double>(count));
    const double factor_before = bound_.factor();
    bound_.add_storm(count, fast_->relative_error());
    if (!all_count || !bound_.holds()) {
      fast_.reset();
      nothing_proved_ = all_count ? roundings_prove_nothing : shares_may_not_count;
      return directly(nothing_proved_);
    }
    if (!fast_->tracks_uncertainty() &&
        (both_signs ||
         static_cast<double>(count) > dense_storm * static_cast<double>(held_.count))) {
      require_host_memory(held_.count * static_cast<std::int64_t>(sizeof(float)),
                          "the uncertainty of every cell");
      fast_->track_uncertainty(factor_before);
    }
    if (fast_->tracks_uncertainty()) {
      for (std::int64_t i = 0; i < count; ++i) {
        deposits[i].uncertainty = static_cast<float>(
            bound_.of_impact(i) * std::fabs(static_cast<double>(deposits[i].energy)));
      }
    }
    fast_->apply(deposits, bound_.growth());
    return confirmed();
  }

  /// The maximum by all the arithmetic.
  Maximum directly(const char* why) {
    const std::int64_t margin = storms_left_ + 1;  // what later storms and the comparison need
    const CellRange range{std::max<std::int64_t>(part_.first - margin, 0),
                          std::min(part_.first + part_.count - 1 + margin, part_.total - 1)};
    require_host_memory(2 * range.count() * static_cast<std::int64_t>(sizeof(float)),
                        "the whole layer by the rule");
    exact_.evaluate({range});
    exact_.forget_earlier_storms();
    spent_ = 0;
    evidence_.push_back({true, part_.count, 0, why});
    Maximum best;
    consider(own(), best);
    return best;
  }

  /// The largest peak among these cells, evaluated with their neighbours, if it is larger than
  /// `best`.
  void consider(const CellRange& range, Maximum& best) const {
    const CellRange seen{std::max<std::int64_t>(range.first - 1, 0),
                         std::min(range.last + 1, part_.total - 1)};
    const IndexedValue peak = cpu::max_location(exact_.values(seen));
    if (peak.value > 0) best = larger(best, {seen.first + peak.index, peak.value});
  }

  /// The ranges that the peaks at these cells, ascending, depend on.
  std::vector<CellRange> around(const std::vector<std::int64_t>& cells) const {
    std::vector<CellRange> ranges;
    for (const std::int64_t cell : cells) {
      const std::int64_t k = held_.first + cell;
      if (!ranges.empty() && k - 1 <= ranges.back().last + 1) {
        ranges.back().last = k + 1;
      } else {
        ranges.push_back({k - 1, k + 1});
      }
    }
    return ranges;
  }

  Screening screened() const {
    return {*fast_, fast_->tracks_uncertainty() ? 0 : bound_.factor(), held_.offset,
            held_.offset + part_.count};
  }

  /// The maximum by the rule among cells that include every one that may be it.
  Maximum confirmed() {
    const Screening screening = screened();
    const double everything =
        cheap + exact_.cost({{held_.first, held_.first + held_.count - 1}}) / narrow_cost;
    const auto limit = 64 + static_cast<std::size_t>(everything / vector_cells / impacts_of_last_);
    Maximum best;
    Evidence evidence{false, 0, 0};

    const auto confirm = [&](const std::vector<std::int64_t>& cells) {
      const std::vector<CellRange> ranges = around(cells);
      spent_ += exact_.cost(ranges);
      if (spent_ > everything) return false;
      exact_.evaluate(ranges);
      for (const std::int64_t cell : cells) {
        const std::int64_t k = held_.first + cell;
        consider({k, k}, best);
      }
      evidence.candidates += static_cast<std::int64_t>(cells.size());
      return true;
    };

    // From above: every cell that may reach `done` has been confirmed, and next those that may
    // reach `least`.
    const std::optional<std::int64_t> peak = screening.best_peak();
    std::int64_t groups = 16;
    double done = std::numeric_limits<double>::infinity();
    double least = screening.reached_by(groups);
    if (peak) {
      if (!confirm({*peak})) return directly(too_many_candidates);
      least = screening.lower(*peak);
      evidence.bound = screening.upper(*peak) / fast_->value(*peak) - 1;
    }
    while (true) {
      least = std::max(best.value > 0 ? best.value : least, 0.0);
      const std::vector<std::int64_t> cells = screening.candidates(least, done, limit);
      if (cells.size() > limit || !confirm(cells)) return directly(too_many_candidates);
      done = least;
      if (best.value >= done) break;  // also when both are 0: no cell can be a peak
      while (least >= done) {
        groups *= 4;
        least = screening.reached_by(groups);
      }
    }
    evidence_.push_back(evidence);
    return best;
  }

  Part part_;
  PartWithMargin held_;
  std::int64_t storms_, storms_left_;
  double impacts_of_last_ = 1;
  /// Interactions for candidates since the whole layer was last known: as many as the whole layer
  /// costs, and it is computed after all. So no run does more than twice the direct work.
  double spent_ = 0;
  float smallest_;
  int threads_;
  std::optional<cpu::ConvolvedLayer>
      fast_;                         ///< the cells held; none once nothing is proved any more
  const char* nothing_proved_ = "";  ///< why there is none
  ErrorBound bound_;
  ExactCells<Law> exact_;
  std::vector<Evidence> evidence_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_fast(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).count;
  require_host_memory(cpu::ConvolvedLayer::bytes(cells, false), "cpu_fast");
  return std::make_unique<CpuFast<SquareRootLaw>>(options);
}

}  // namespace bombard
