#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/kernels/convolution/direct_layer.hpp"
#include "tests/kernels/convolution/layer_under_test.hpp"

namespace bombard {

/// A convolved layer and a direct one, which take the same storms and are compared after each.
class BothLayers {
 public:
  explicit BothLayers(std::int64_t cells, double error = 1e-12,
                      const Attenuation& attenuation = square_root_attenuation, int threads = 2,
                      double scale = 0.25)
      : layer(make_layer(cells, attenuation, scale, error, threads)),
        direct(cells, attenuation, scale) {}

  /// Tracks uncertainties from now on, if `tracked`.
  void track(bool tracked = true) {
    if (!tracked) return;
    layer->track_uncertainty(0);
    std::ranges::fill(direct.uncertainty, 0);
  }

  /// Positions are counted from the first cell; the layer gets others.
  void apply(const std::vector<Impact>& impacts) {
    constexpr std::int64_t origin = 100;
    std::vector<Impact> moved = impacts;
    for (Impact& impact : moved) impact.position += origin;
    cpu::LayerStorm storm{.impacts = moved, .origin = origin};
    if (layer->tracks_uncertainty()) storm.uncertainty = thousandth(impacts);
    layer->apply(storm);
    direct.apply(impacts, thousandth(impacts));
    expect_close();
  }

  void clear() {
    layer->clear();
    direct.clear();
  }

  std::unique_ptr<LayerUnderTest> layer;
  DirectLayer direct;

 private:
  void expect_close() const {
    // Energies, at most 2e9, times the smallest normal binary64 number, and some roundings of it.
    constexpr long double below_normal = 1e-290L;
    const long double error = layer->relative_error();
    const std::vector<double> values = layer->values();
    const std::vector<float> uncertainties = layer->uncertainties();
    for (std::size_t k = 0; k < values.size(); ++k) {
      const long double off = std::fabs(values[k] - direct.value[k]);
      ASSERT_LE(off, (error + 1e-15L) * direct.magnitude[k] + below_normal) << k;
      if (!layer->tracks_uncertainty()) continue;
      // All energies are off by at most a thousandth.
      constexpr long double least = below_normal / 1000;
      ASSERT_GE(uncertainties[k], direct.uncertainty[k] * (1 - 1e-6L - error) - least) << k;
      ASSERT_LE(uncertainties[k], direct.uncertainty[k] * (1 + 1e-5L) + 1e-30L + least) << k;
    }
  }
};

}  // namespace bombard
