#include <gtest/gtest.h>

#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "tests/kernels/convolution/layer_under_test.hpp"

namespace bombard {

namespace {

class LayerOnCpu final : public LayerUnderTest {
 public:
  explicit LayerOnCpu(cpu::ConvolvedLayer layer) : layer_(std::move(layer)) {}

  void clear() override { layer_.clear(); }
  void track_uncertainty(double factor) override { layer_.track_uncertainty(factor); }
  bool tracks_uncertainty() const override { return layer_.tracks_uncertainty(); }
  void apply(const cpu::LayerStorm& storm) override {
    layer_.apply(storm);
    expect_groups_cover();
  }
  std::vector<double> values() const override {
    std::vector<double> values;
    for (std::int64_t k = 0; k < layer_.cells(); ++k) values.push_back(layer_.value(k));
    return values;
  }
  std::vector<float> uncertainties() const override {
    std::vector<float> uncertainties;
    for (std::int64_t k = 0; k < layer_.cells(); ++k) {
      uncertainties.push_back(static_cast<float>(layer_.uncertainty(k)));
    }
    return uncertainties;
  }
  double relative_error() const override { return layer_.relative_error(); }

 private:
  void expect_groups_cover() const {
    std::int64_t next = 0;
    for (std::int64_t g = 0; g < layer_.groups(); ++g) {
      const CellRange cells = layer_.group(g);
      ASSERT_EQ(cells.begin, next);
      next = cells.end;
      for (std::int64_t k = cells.begin; k < cells.end; ++k) {
        if (k == 0 || k == layer_.cells() - 1) continue;  // an end is never a maximum
        ASSERT_LE(layer_.value(k) + layer_.uncertainty(k), layer_.highest(g)) << k;
      }
    }
    ASSERT_EQ(next, layer_.cells());
  }

  cpu::ConvolvedLayer layer_;
};

}  // namespace

std::unique_ptr<LayerUnderTest> make_layer(std::int64_t cells, const Attenuation& attenuation,
                                           double scale, double error, int threads) {
  return std::make_unique<LayerOnCpu>(
      cpu::ConvolvedLayer(cells, attenuation, scale, error, threads));
}

}  // namespace bombard
