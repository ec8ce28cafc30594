#include <fmt/format.h>

#include "kernels/base/profiling_range.hpp"
#include "kernels/base/registry.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/attenuation.hpp"
#include "kernels/layer/copy.hpp"
#include "kernels/layer/initialise.hpp"
#include "kernels/layer/max_location.hpp"
#include "kernels/layer/relax.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/layer/update.hpp"
#include "sim/engines/engines.hpp"

namespace bombard {

namespace {

/// A kernel for each stage. The layer stays on the device; a storm sends its impacts and brings
/// back one value and one position.
template <class Law>
class CudaStaged final : public Engine {
 public:
  explicit CudaStaged(const EngineOptions& options)
      : options_(options), cells_(with_margin(options.part, options.storms)) {
    cuda::require_device_memory(2 * cells_.count * static_cast<std::int64_t>(sizeof(float)),
                                "the layer and its copy");
    layer_ = cuda::DeviceArray<float>(cells_.count);
    copy_ = cuda::DeviceArray<float>(cells_.count);
    reset();
  }

  std::vector<Maximum> apply(std::span<const Storm> storms) override {
    std::vector<Maximum> maxima;
    for (const Storm& storm : storms) {
      send(storm);
      {
        const ProfilingRange range("update");
        cuda::update<Law>(impacts_.span().first(storm.impacts.size()),
                          smallest_share(options_.threshold, options_.part.total), cells_.first,
                          layer_.span());
      }
      {
        const ProfilingRange range("relax");
        cuda::copy(layer_.span(), copy_.span());
        cuda::relax(copy_.span(), layer_.span());
      }
      maxima.push_back(locate_maximum());
    }
    return maxima;
  }

  void reset() override { cuda::initialise(0, layer_.span()); }

  std::vector<float> layer() const override {
    std::vector<float> cells(static_cast<std::size_t>(cells_.count));
    layer_.copy_to(cells);
    const auto own = cells.begin() + cells_.offset;
    return {own, own + options_.part.count};
  }

 private:
  void send(const Storm& storm) {
    const ProfilingRange range("send impacts");
    const auto count = static_cast<std::int64_t>(storm.impacts.size());
    impacts_.at_least(count, fmt::format("a storm of {} impacts", count));
    std::vector<ScaledImpact> scaled;
    scaled.reserve(storm.impacts.size());
    for (const Impact& impact : storm.impacts) {
      scaled.push_back({impact.position, scaled_energy(impact.energy, options_.part.total)});
    }
    impacts_.copy_from(scaled);
  }

  /// The copy is free after relaxation and takes the peaks.
  Maximum locate_maximum() {
    const ProfilingRange range("max-location");
    cuda::mark_peaks(layer_.span(), copy_.span());
    const auto own = copy_.span().subspan(static_cast<std::size_t>(cells_.offset),
                                          static_cast<std::size_t>(options_.part.count));
    const IndexedValue largest = cuda::arg_max(own, options_.reduction);
    if (largest.value <= 0) return {};
    return {options_.part.first + largest.index, largest.value};
  }

  EngineOptions options_;
  PartWithMargin cells_;
  cuda::DeviceArray<float> layer_, copy_;
  cuda::DeviceArray<ScaledImpact> impacts_;
};

std::unique_ptr<Engine> make(const EngineOptions& options) {
  return std::make_unique<CudaStaged<SquareRootLaw>>(options);
}

const Registered engine{DeviceEngine{"cuda_staged", make}};

}  // namespace

}  // namespace bombard
