#include <fmt/format.h>

#include "kernels/base/profiling_range.hpp"
#include "kernels/base/registry.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/copy.hpp"
#include "kernels/layer/initialise.hpp"
#include "kernels/layer/max_location.hpp"
#include "kernels/layer/relax.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/layer/update.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/storm_extent.hpp"

namespace bombard {

namespace {

/// A kernel for each stage. The layer stays on the device; a storm sends its impacts and brings
/// back one value and one position.
template <class Law>
class CudaStaged final : public DenseEngine {
 public:
  CudaStaged(const EngineOptions& options, const LayerRule<Law>& rule)
      : part_(with_margin(options.part, options.storms)),
        rule_(rule),
        reaches_(rule),
        reduction_(options.reduction) {
    const std::int64_t cells = part_.held.count();
    cuda::require_device_memory(2 * cells * static_cast<std::int64_t>(sizeof(float)),
                                "the layer and its copy");
    layer_ = cuda::DeviceArray<float>(cells);
    copy_ = cuda::DeviceArray<float>(cells);
    reset();
  }

  std::vector<Maximum> apply(std::span<const StormView> storms) override {
    std::vector<Maximum> maxima;
    for (const StormView& storm : storms) {
      const bool all_count = every_share_counts(rule_, extent_of(storm.impacts), part_.held);
      send(storm, all_count);
      {
        const ProfilingRange range("update");
        cuda::update(rule_, impacts_.span().first(storm.impacts.size()), all_count,
                     part_.held.begin, layer_.span());
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

  void begin_with(const LayerView& held) override {
    layer_.copy_from(std::get<std::span<const float>>(held));
  }

  void reset() override { cuda::initialise(0, layer_.span()); }

  Layer layer() const override {
    std::vector<float> held(static_cast<std::size_t>(part_.held.count()));
    layer_.copy_to(held);
    const auto own = slice(std::span(held), part_.own_among_held());
    return std::vector<float>(own.begin(), own.end());
  }

 private:
  void send(const StormView& storm, bool all_count) {
    const ProfilingRange range("send impacts");
    const auto count = static_cast<std::int64_t>(storm.impacts.size());
    impacts_.at_least(count, fmt::format("a storm of {} impacts", count));
    std::vector<ScaledImpact> impacts;
    impacts.reserve(storm.impacts.size());
    for (const Impact& impact : storm.impacts) {
      impacts.push_back(all_count
                            ? scaled(rule_, impact)
                            : scaled(rule_, impact, reach_of_impact(reaches_.of(impact.energy))));
    }
    impacts_.copy_from(impacts);
  }

  /// The copy is free after relaxation and takes the peaks.
  Maximum locate_maximum() {
    const ProfilingRange range("max-location");
    cuda::mark_peaks(layer_.span(), copy_.span());
    const IndexedValue largest =
        cuda::arg_max(slice(copy_.span(), part_.own_among_held()), reduction_);
    if (largest.value <= 0) return {};
    return {part_.own.begin + largest.index, largest.value};
  }

  Part part_;
  LayerRule<Law> rule_;
  Reaches reaches_;
  Reduction reduction_;
  cuda::DeviceArray<float> layer_, copy_;
  cuda::DeviceArray<ScaledImpact> impacts_;
};

std::unique_ptr<Engine> make(const EngineOptions& options) {
  return with_law(options.rule, options.part.total,
                  [&]<class Law>(const LayerRule<Law>& rule) -> std::unique_ptr<Engine> {
                    return std::make_unique<CudaStaged<Law>>(options, rule);
                  });
}

const Registered engine{DeviceEngine{"cuda_staged", make}};

}  // namespace

}  // namespace bombard
