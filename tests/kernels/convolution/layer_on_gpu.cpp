#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "sim/engines/storm_view.hpp"
#include "tests/kernels/convolution/layer_under_test.hpp"

namespace bombard {

namespace {

class LayerOnGpu final : public LayerUnderTest {
 public:
  LayerOnGpu(const Slab& slab, const Attenuation& attenuation, double scale, double error)
      : cells_(static_cast<std::size_t>(slab.cells)),
        layer_(slab, {0, slab.cells}, attenuation, scale, error) {}

  void clear() override { layer_.clear(); }
  void track_uncertainty(double factor) override { layer_.track_uncertainty(factor); }
  bool tracks_uncertainty() const override { return layer_.tracks_uncertainty(); }
  void apply(const cpu::LayerStorm& storm) override {
    send(storm);
    layer_.apply(sent(storm, false), found());
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
  void cover(std::int64_t lowest, std::int64_t highest) override { layer_.cover(lowest, highest); }
  SlabBorders borders() const override { return layer_.borders(); }
  void gather(const cpu::LayerStorm& storm) override {
    send(storm);
    layer_.gather(sent(storm, true));
  }
  BorderStates leaving_right(std::int64_t border) override { return layer_.leaving_right(border); }
  BorderStates leaving_left(std::int64_t border) override { return layer_.leaving_left(border); }
  void apply_gathered(const ComingIn& coming_in) override {
    layer_.apply_gathered(found(), coming_in);
  }

 private:
  Screened* found() { return found_.span().data(); }
  void send(const cpu::LayerStorm& storm) { impacts_ = cuda::DeviceArray<Impact>(storm.impacts); }
  cuda::StormImpacts sent(const cpu::LayerStorm& storm, bool states_come_in) const {
    const StormExtent extent = extent_of(storm.impacts);
    return {impacts_.span(), extent.lowest, extent.highest, storm.uncertainty, states_come_in};
  }

  std::size_t cells_;
  cuda::ConvolvedLayer layer_;
  cuda::DeviceArray<Impact> impacts_;  ///< of the last storm
  cuda::DeviceArray<Screened> found_{1};
};

}  // namespace

std::unique_ptr<LayerUnderTest> make_layer(const Slab& slab, const Attenuation& attenuation,
                                           double scale, double error, int) {
  return std::make_unique<LayerOnGpu>(slab, attenuation, scale, error);
}

}  // namespace bombard
