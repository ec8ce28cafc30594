// Almost none of the interactions, the same maxima: screen and confirm, all storms of a call
// together (sim/engines/fast/screen_and_confirm.hpp).

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/base/registry.hpp"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/storm_tiles.hpp"
#include "sim/engines/direct/cuda_direct.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/fast/candidate_tiles.hpp"
#include "sim/engines/fast/screen_and_confirm.hpp"
#include "sim/engines/fast/screened_storms.hpp"

namespace bombard {

namespace {

class CudaFast final : public DenseEngine {
 public:
  explicit CudaFast(const EngineOptions& options)
      : options_(options),
        part_(with_margin(options.part, options.storms)),
        screened_(part_, options.rule, thread_count(options)),
        candidates_(part_, options.rule) {}

  std::vector<Maximum> apply(std::span<const StormView> storms) override {
    std::vector<Maximum> maxima;
    if (!is_direct_ && costs_no_less(storms)) {
      why_direct_ = costs_no_more;
      go_direct(maxima, 0);
    }
    if (!is_direct_) {
      const std::size_t applied = screened_.apply(storms);
      maxima = confirmed(applied);
      if (maxima.size() == storms.size()) return maxima;
      go_direct(maxima, applied - maxima.size());
      storms = storms.subspan(applied);
    }
    note(direct_->apply(storms), maxima);
    return maxima;
  }

  void begin_with(const LayerView& held) override {
    const auto cells = std::get<std::span<const float>>(held);
    cuda::require_device_memory(static_cast<std::int64_t>(cells.size_bytes()), "the initial layer");
    initial_ = cuda::DeviceArray<float>(cells);
    screened_.begin_with(cells);
  }

  void reset() override {
    if (direct_) direct_->reset();
    is_direct_ = false;
    initial_ = {};
    screened_.reset();
    saved_ = cheap_interactions_on_gpu;
    evidence_.clear();
  }

  std::vector<Evidence> evidence() const override { return evidence_; }

  Layer layer() const override {
    if (is_direct_) return direct_->layer();
    const std::vector<double> held = screened_.values();
    const auto own = slice(std::span(held), part_.own_among_held());
    return std::vector<float>(own.begin(), own.end());
  }

  std::vector<float> layer_uncertainty() const override {
    if (is_direct_) return {};
    const std::vector<float> held = screened_.uncertainties();
    const auto own = slice(std::span(held), part_.own_among_held());
    return {own.begin(), own.end()};
  }

 private:
  /// Whether these storms and those before would have taken no longer by all the arithmetic. Where
  /// they do, it is done for all of them: so the work is never more than twice the direct one.
  bool costs_no_less(std::span<const StormView> storms) {
    const auto cells = static_cast<double>(part_.held.count());
    for (const StormView& storm : storms) {
      const auto impacts = static_cast<double>(storm.impacts.size());
      const double counting = time_of_counting(cells, impacts, 0, costs::counting_on_gpu);
      saved_ += saved_on_gpu(
          cells, impacts,
          options_.rule.attenuation == square_root_attenuation ? std::min(1.0, counting) : 1);
    }
    return saved_ < 0;
  }

  /// The maxima after the last `storms` storms applied, as far as they are proved.
  std::vector<Maximum> confirmed(std::size_t storms) {
    why_direct_ = screened_.why_no_more();
    if (storms == 0) return {};
    Confirmed proved = candidates_.confirm(screened_.found(storms), screened_.impacts(),
                                           std::as_const(initial_).span(), saved_);
    saved_ -= proved.interactions;
    if (proved.maxima.size() < storms) why_direct_ = proved.why_no_more;
    evidence_.insert(evidence_.end(), proved.evidence.begin(), proved.evidence.end());
    return std::move(proved.maxima);
  }

  /// Goes on by all the arithmetic, beginning with the storms so far; the last `unconfirmed` maxima
  /// of these are still to be told.
  void go_direct(std::vector<Maximum>& maxima, std::size_t unconfirmed) {
    screened_.release();
    is_direct_ = true;
    if (!direct_) direct_.emplace(options_);
    direct_->begin_with(std::move(initial_));
    KeptImpacts& kept = screened_.impacts();
    const std::vector<Maximum> all = direct_->apply(kept.views(), true);
    note(std::span(all).last(unconfirmed), maxima);
    kept.release();
  }

  /// Maxima that were computed directly.
  void note(std::span<const Maximum> direct, std::vector<Maximum>& maxima) {
    maxima.insert(maxima.end(), direct.begin(), direct.end());
    evidence_.insert(evidence_.end(), direct.size(), directly_computed(part_, why_direct_));
  }

  EngineOptions options_;
  Part part_;
  ScreenedStorms screened_;
  CandidateTiles candidates_;
  cuda::DeviceArray<float> initial_;  ///< the cells held before the first storm; none: 0
  std::optional<CudaDirect> direct_;  ///< from the first storm on that is not proved
  bool is_direct_ = false;            ///< since the last reset()
  /// The cost of all the arithmetic less the cost so far, as interactions.
  double saved_ = cheap_interactions_on_gpu;
  const char* why_direct_ = "";
  std::vector<Evidence> evidence_;
};

std::unique_ptr<Engine> make(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).held.count();
  cuda::require_device_memory(cuda::ConvolvedLayer::bytes(cells, false), "cuda_fast");
  return std::make_unique<CudaFast>(options);
}

void load(const Rule& rule, std::int64_t cells) {
  cuda::ConvolvedLayer::load();
  with_law(layer_rule(rule, cells),
           []<class Law>(const LayerRule<Law>&) { cuda::load_tiles<Law>(); });
}

const Registered engine{DeviceEngine{"cuda_fast", make, load}};

}  // namespace

}  // namespace bombard
