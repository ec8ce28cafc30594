#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "sim/engines/storm_view.hpp"
#include "tests/kernels/convolution/layer_under_test.hpp"

namespace bombard {

namespace {

class LayerOnGpu final : public LayerUnderTest {
 public:
  LayerOnGpu(std::int64_t cells, const Attenuation& attenuation, double scale, double error)
      : cells_(static_cast<std::size_t>(cells)),
        layer_(cells, {0, cells}, attenuation, scale, error) {}

  void clear() override { layer_.clear(); }
  void track_uncertainty(double factor) override { layer_.track_uncertainty(factor); }
  bool tracks_uncertainty() const override { return layer_.tracks_uncertainty(); }
  void apply(const cpu::LayerStorm& storm) override {
    const cuda::DeviceArray<Impact> impacts(storm.impacts);
    const StormExtent extent = extent_of(storm.impacts);
    layer_.apply({.impacts = impacts.span(),
                  .lowest = extent.lowest,
                  .highest = extent.highest,
                  .uncertainty = storm.uncertainty,
                  .origin = storm.origin},
                 found_.span().data());
    cuda::synchronize();
  }
  std::vector<double> values() const override {
    std::vector<double> values(cells_);
    layer_.values(values);
    return values;
  }
  std::vector<float> uncertainties() const override {
    std::vector<float> uncertainties(cells_);
    if (tracks_uncertainty()) layer_.uncertainties(uncertainties);
    return uncertainties;
  }
  double relative_error() const override { return layer_.relative_error(); }

 private:
  std::size_t cells_;
  cuda::ConvolvedLayer layer_;
  cuda::DeviceArray<Screened> found_{1};
};

}  // namespace

std::unique_ptr<LayerUnderTest> make_layer(std::int64_t cells, const Attenuation& attenuation,
                                           double scale, double error, int) {
  return std::make_unique<LayerOnGpu>(cells, attenuation, scale, error);
}

}  // namespace bombard
