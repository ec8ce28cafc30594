// A screened layer that a CPU stores.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/base/host_memory.hpp"
#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/screened/error_bound.hpp"
#include "sim/engines/screened/screened_layer.hpp"
#include "sim/engines/screened/screening.hpp"
#include "sim/ranks/slab_neighbours.hpp"

namespace bombard {

namespace {

// A second copy of the cell, the energy and the uncertainty of each impact on the layer, and 17
// bytes for each cell that is hit. (An impact outside, a distance and two amounts, takes no more.)
constexpr std::int64_t bytes_of_source = 29;

class StoredLayer final : public ScreenedLayer {
 public:
  StoredLayer(const EngineOptions& options, Precision precision)
      : ScreenedLayer(options, with_margin(options.part, options.storms), precision),
        layer_(slab(), options.rule.attenuation, options.rule.scale_in_double(part_.total),
               relative_error(), thread_count(options)) {}

  void begin_with(const LayerView& held) override {
    begin(layer_, held);
    screening_.reset();
  }

  double cost_of_beginning() const override { return cost_of_beginning_with_cell * cells(); }
  double cost(const StormView& storm) const override {
    return cost_of_screened_storm(cells(), static_cast<double>(storm.impacts.size()));
  }

  const char* add(const StormView& storm) override {
    make_room(static_cast<std::int64_t>(storm.impacts.size()));
    work_ += cost(storm);
    if (!in_double() && !is_worth_(work_)) return costs_no_more;
    if (bound_) {
      if (!every_share_counts(rule_, storm.extent, part_.held)) return not_every_share_counts;
      if (!bound_->add_storm(storm, layer_.relative_error())) return bound_->why_none();
    }
    SlabNeighbours* const neighbours = options_.neighbours;
    const StormExtent& extent = storm.extent;
    if (neighbours != nullptr && extent.lowest <= extent.highest) {
      layer_.cover(extent.lowest, extent.highest);
    }
    layer_.gather({.impacts = storm.impacts,
                   .uncertainty = uncertainty_of_storm(),
                   .origin = part_.held.begin});
    layer_.apply_gathered(neighbours == nullptr ? ComingIn{} : neighbours->exchanged(layer_));
    screening_.emplace(layer_, part_, bound_ ? bound_->factor() : 0,
                       bound_ ? bound_->absolute() : 0);
    return nullptr;
  }

  const Screening& screening(std::size_t) const override { return *screening_; }

  std::vector<double> values() const override {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(part_.own.count()));
    const CellRange own = part_.own_among_held();
    for (std::int64_t i = own.begin; i < own.end; ++i) values.push_back(layer_.value(i));
    return values;
  }

  std::vector<float> uncertainties() const override {
    std::vector<float> uncertainties;
    uncertainties.reserve(static_cast<std::size_t>(part_.own.count()));
    for (std::int64_t cell = part_.own.begin; cell < part_.own.end; ++cell) {
      const double value = layer_.value(cell - part_.held.begin);
      uncertainties.push_back(uncertainty_once_rounded(value, screening_->upper(cell) - value));
    }
    return uncertainties;
  }

  double value(std::int64_t cell) override { return layer_.value(cell - part_.held.begin); }

 private:
  /// A layer of its own without neighbours.
  Slab slab() const {
    const std::int64_t cells = part_.held.count();
    return options_.neighbours == nullptr ? Slab{0, cells, cells}
                                          : Slab{part_.held.begin, cells, part_.total};
  }

  /// Asks for memory for a storm of more impacts than any before: the convolution keeps its memory.
  void make_room(std::int64_t impacts) {
    if (impacts <= most_impacts_) return;
    require_host_memory(impacts * bytes_of_source, fmt::format("a storm of {} impacts", impacts));
    most_impacts_ = impacts;
  }

  /// What the storm adds to the uncertainty of each cell, where these are tracked.
  std::optional<StormUncertainty> uncertainty_of_storm() {
    if (!bound_) return std::nullopt;
    if (const std::optional<double> factor_before = bound_->tracked_from()) {
      require_host_memory(part_.held.count() * static_cast<std::int64_t>(sizeof(float)),
                          "the uncertainty of every cell");
      layer_.track_uncertainty(*factor_before);
    }
    return layer_.tracks_uncertainty() ? std::optional(bound_->of_last_storm()) : std::nullopt;
  }

  cpu::ConvolvedLayer layer_;      ///< of the cells held
  std::int64_t most_impacts_ = 0;  ///< in a storm so far
  std::optional<LayerScreening<cpu::ConvolvedLayer>> screening_;
};

}  // namespace

std::unique_ptr<ScreenedLayer> make_stored_layer(const EngineOptions& options,
                                                 Precision precision) {
  return std::make_unique<StoredLayer>(options, precision);
}

}  // namespace bombard
