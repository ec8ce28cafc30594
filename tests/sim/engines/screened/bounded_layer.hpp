#pragma once

#include <cstdint>
#include <vector>

#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "sim/engines/screened/error_bound.hpp"
#include "sim/engines/screened/screening.hpp"
#include "tests/sim/engines/against_oracle.hpp"

namespace bombard::tests {

/// A fast layer with its bound, treated storm by storm as the engine does, and the rule's.
class BoundedLayer {
 public:
  /// `tracked`: every cell has an uncertainty of its own from the first storm on.
  explicit BoundedLayer(std::int64_t cells, bool tracked = false,
                        const oracle::Rule& of_oracle = {.threshold = 0})
      : made{cells, {}, of_oracle},
        rule(rule_of(made)),
        reaches(layer_rule(rule, cells)),
        // Tracked as for cells below 0; the layer itself begins with 0.
        bound(whole_layer(cells), rule, reaches, std::vector<float>(tracked ? 1 : 0, -1.0F)),
        layer({0, cells, cells}, rule.attenuation, rule.scale_in_double(cells), fast_error) {}

  void apply(const std::vector<Impact>& impacts) {
    made.storms.push_back({"", impacts});
    const std::vector<std::int64_t> of_impacts = reaches.of({impacts}, {0, layer.cells()});
    shares_end = !of_impacts.empty();
    EXPECT_TRUE(bound.add_storm({impacts}, layer.relative_error(), layer.cut_error()));
    if (bound.tracked_from()) layer.track_uncertainty(*bound.tracked_from());
    if (layer.tracks_uncertainty()) {
      layer.apply({impacts, of_impacts, bound.of_last_storm()});
    } else {
      layer.apply({impacts, of_impacts});
    }
  }

  LayerScreening<cpu::ConvolvedLayer> screening() const {
    return {layer, whole_layer(layer.cells()), bound.factor(), bound.absolute()};
  }

  /// How much of the bound the rule's roundings use up at most, over all cells; above 1 it is no
  /// bound.
  double used_bound() const {
    const std::vector<float> of_rule = by_the_rule(made).layer;
    double used = 0;
    for (std::int64_t k = 0; k < layer.cells(); ++k) {
      const double value = layer.value(k), above = screening().upper(k) - value;
      EXPECT_NEAR(above, value - screening().lower(k), 1e-9 * std::fabs(value));
      const double off = std::fabs(of_rule[static_cast<std::size_t>(k)] - value);
      if (off > 0) used = std::max(used, off / above);
    }
    return used;
  }

  Bombardment made;
  Rule rule;
  Reaches reaches;
  ErrorBound bound;
  cpu::ConvolvedLayer layer;
  bool shares_end = false;  ///< a share did not count in the last storm
};

}  // namespace bombard::tests
