// A screened layer that a CPU stores.

#include <memory>
#include <optional>

#include "kernels/base/host_memory.hpp"
#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "sim/engines/screened/error_bound.hpp"
#include "sim/engines/screened/layer_screening.hpp"
#include "sim/engines/screened/screened_layer.hpp"

namespace bombard {

namespace {

class StoredLayer final : public ScreenedLayer {
 public:
  explicit StoredLayer(const EngineOptions& options)
      : options_(options),
        part_(with_margin(options.part, options.storms)),
        layer_(part_.held.count(), options.rule.attenuation,
               options.rule.scale_in_double(part_.total), fast_error, thread_count(options)) {
    clear();
  }

  void clear() override {
    layer_.clear();
    bound_.emplace(part_);
    screening_.reset();
  }

  const char* add(const StormView& storm) override {
    if (!every_share_counts(layer_rule(options_.rule, part_.total), storm.extent, part_.held)) {
      return not_every_share_counts;
    }
    if (const char* const why = bound_->add_storm(storm, layer_.relative_error())) return why;
    if (const std::optional<double> factor_before = bound_->tracked_from()) {
      if (!has_host_memory(part_.held.count() * std::int64_t{sizeof(float)})) {
        return "there is no memory for the uncertainty of every cell";
      }
      layer_.track_uncertainty(*factor_before);
    }
    layer_.apply({.impacts = storm.impacts,
                  .uncertainty = layer_.tracks_uncertainty()
                                     ? std::optional(bound_->of_last_storm())
                                     : std::nullopt,
                  .origin = part_.held.begin});
    screening_.emplace(layer_, part_, bound_->factor(), bound_->absolute());
    return nullptr;
  }

  const Screening& screening() const override { return *screening_; }

 private:
  EngineOptions options_;
  Part part_;
  cpu::ConvolvedLayer layer_;  ///< of the cells held
  std::optional<ErrorBound> bound_;
  std::optional<LayerScreening<cpu::ConvolvedLayer>> screening_;
};

}  // namespace

std::unique_ptr<ScreenedLayer> make_stored_layer(const EngineOptions& options) {
  return std::make_unique<StoredLayer>(options);
}

}  // namespace bombard
