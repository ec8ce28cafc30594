#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/convolution/cpu/layer_storm.hpp"
#include "kernels/share/attenuation.hpp"
#include "tests/solvers/backend.hpp"

namespace bombard {

/// A convolved layer where this program's tests run, on the CPU (layer_on_cpu.cpp) or on a GPU
/// (layer_on_gpu.cpp), with the functions of cpu::ConvolvedLayer.
class LayerUnderTest {
 public:
  virtual ~LayerUnderTest() = default;

  virtual void clear() = 0;
  virtual void track_uncertainty(double factor) = 0;
  virtual bool tracks_uncertainty() const = 0;
  virtual void apply(const cpu::LayerStorm& storm) = 0;
  virtual std::vector<double> values() const = 0;
  /// All 0 unless tracked.
  virtual std::vector<float> uncertainties() const = 0;
  virtual double relative_error() const = 0;
};

std::unique_ptr<LayerUnderTest> make_layer(std::int64_t cells, const Attenuation& attenuation,
                                           double scale, double error, int threads = 2);

}  // namespace bombard
