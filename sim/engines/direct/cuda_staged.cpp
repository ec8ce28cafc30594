#include <fmt/format.h>

#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "kernels/base/registry.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/copy.hpp"
#include "kernels/layer/max_location.hpp"
#include "kernels/layer/relax.hpp"
#include "kernels/layer/update.hpp"
#include "kernels/reduction/arg_max.hpp"
#include "kernels/share/reaches.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/reaches.hpp"

namespace bombard {

namespace {

/// A kernel for each stage. The layer stays on the device; a storm sends its impacts and brings
/// back one value and one position.
class CudaStaged final : public Engine {
 public:
  explicit CudaStaged(const EngineOptions& options)
      : part_(with_margin(options.part, options.storms)),
        rule_(layer_rule(options.rule, part_.total)),
        reduction_(options.reduction) {
    const std::int64_t cells = part_.held.count();
    cuda::require_device_memory(2 * cells * static_cast<std::int64_t>(sizeof(float)),
                                "the layer and its copy");
    layer_ = cuda::DeviceArray<float>(cells);
    copy_ = cuda::DeviceArray<float>(cells);
    reset();
  }

  Maximum apply(const StormView& storm) override {
    send(storm.impacts);
    update(storm);
    {
      const ProfilingRange range("relax");
      cuda::copy(layer_.span(), copy_.span());
      cuda::relax(copy_.span(), layer_.span());
    }
    return locate_maximum();
  }

  void begin_with(const LayerView& held) override {
    layer_.copy_from(std::get<std::span<const float>>(held));
  }

  void reset() override { cuda::set_bytes(layer_.span(), 0); }

  Layer layer() const override {
    std::vector<float> held(static_cast<std::size_t>(part_.held.count()));
    layer_.copy_to(held);
    const auto own = slice(std::span(held), part_.own_among_held());
    return std::vector<float>(own.begin(), own.end());
  }

 private:
  void send(std::span<const Impact> impacts) {
    const ProfilingRange range("send impacts");
    const auto count = static_cast<std::int64_t>(impacts.size());
    impacts_.at_least(count, fmt::format("a storm of {} impacts", count));
    impacts_.copy_from(impacts);
  }

  void update(const StormView& storm) {
    const ProfilingRange range("update");
    const bool all_count = every_share_counts(rule_, storm.extent, part_.held);
    const auto impacts = std::as_const(impacts_).span().first(storm.impacts.size());
    with_law(rule_, [&](const auto& rule) {
      std::span<const std::int64_t> reaches;
      if (!all_count) reaches = cuda::find_reaches(rule, impacts, reaches_);
      cuda::update(rule, impacts, reaches, part_.held.begin, layer_.span());
    });
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
  AnyLayerRule rule_;
  Reduction reduction_;
  cuda::DeviceArray<float> layer_, copy_;
  cuda::DeviceArray<Impact> impacts_;  ///< of the last storm
  cuda::DeviceArray<std::int64_t> reaches_;
};

std::unique_ptr<Engine> make(const EngineOptions& options) {
  return std::make_unique<CudaStaged>(options);
}

const Registered engine{DeviceEngine{"cuda_staged", make}};

}  // namespace

}  // namespace bombard
