// The true sums instead of the rule's, on a GPU: the layer in binary64 by exponential sums, and its
// maxima as they are (docs/methods.md, Double precision). Mirrors cpu_double.cpp.

#include <vector>

#include "kernels/base/profiling_range.hpp"
#include "kernels/base/registry.hpp"
#include "kernels/convolution/device_convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/attenuation.hpp"
#include "sim/engines/double_precision.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/storm_upload.hpp"

namespace bombard {

namespace {

template <class Law>
class CudaDouble final : public Engine {
 public:
  explicit CudaDouble(const EngineOptions& options)
      : part_(with_margin(options.part, options.storms)),
        smallest_(smallest_share(options.threshold, part_.total)),
        layer_(part_.held.count(), part_.own_among_held(), square_root_attenuation,
               1000.0 / static_cast<double>(part_.total), double_precision_error),
        storms_(part_.held, thread_count(options)) {}

  std::vector<Maximum> apply(std::span<const Storm> storms) override {
    if (storms.empty()) return {};
    const auto count = static_cast<std::int64_t>(storms.size());
    found_.at_least(count);
    for (std::size_t i = 0; i < storms.size(); ++i) apply(storms[i], found_.span().data() + i);
    std::vector<Screened> found(storms.size());
    found_.copy_to(found);
    std::vector<Maximum> maxima;
    for (const Screened& of_storm : found) {
      const LayerPeak& peak = of_storm.peak;
      maxima.push_back(peak.index < 0 ? Maximum{}
                                      : Maximum{part_.held.begin + peak.index, peak.value});
    }
    return maxima;
  }

  void reset() override { layer_.clear(); }

  std::vector<double> layer_in_double() const override {
    std::vector<double> values(static_cast<std::size_t>(part_.held.count()));
    layer_.values(values);
    const auto own = slice(std::span(values), part_.own_among_held());
    return {own.begin(), own.end()};
  }

  std::vector<float> layer() const override {
    const std::vector<double> values = layer_in_double();
    return {values.begin(), values.end()};
  }

 private:
  void apply(const Storm& storm, Screened* found) {
    const ProfilingRange range("double storm");
    const bool by_cell = layer_.prefers_by_cell(static_cast<std::int64_t>(storm.impacts.size()));
    const UploadedStorm sent =
        by_cell ? storms_.send_by_cell(storm.impacts) : storms_.send(storm.impacts);
    require_every_share<Law>(storm, sent.extent, part_, smallest_);
    const cuda::StormDeposits deposits{sent.deposits, sent.extent.lowest - part_.held.begin,
                                       sent.extent.highest - part_.held.begin};
    if (by_cell) {
      layer_.apply({sent.cell_deposits, deposits}, found);
    } else {
      layer_.apply(deposits, found);
    }
    storms_.release();
  }

  Part part_;
  float smallest_;
  cuda::ConvolvedLayer layer_;  ///< of the cells held
  StormUpload storms_;
  cuda::DeviceArray<Screened> found_;  ///< after each storm of a call
};

std::unique_ptr<Engine> make(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).held.count();
  cuda::require_device_memory(cuda::ConvolvedLayer::bytes(cells, false), "cuda_double");
  return std::make_unique<CudaDouble<SquareRootLaw>>(options);
}

const Registered engine{DeviceEngine{"cuda_double", make}};

}  // namespace

}  // namespace bombard
