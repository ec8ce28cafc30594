#include <fmt/format.h>

#include <utility>

#include "kernels/base/registry.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/copy.hpp"
#include "kernels/layer/initialise.hpp"
#include "kernels/layer/max_location.hpp"
#include "kernels/layer/relax.hpp"
#include "kernels/layer/update.hpp"
#include "sim/engines/engines.hpp"

namespace bombard {

namespace {

/// A kernel for each stage. The layer stays on the device; a storm sends its impacts and brings
/// back one value and one position.
class CudaStaged final : public Engine {
 public:
  explicit CudaStaged(const EngineOptions& options)
      : part_(with_margin(options.part, options.storms)),
        rule_(layer_rule(options.rule, part_.total)),
        max_location_(options.reduction, part_.own.count()) {
    const std::int64_t cells = part_.held.count();
    cuda::require_device_memory(2 * cells * static_cast<std::int64_t>(sizeof(float)),
                                "the layer and its copy");
    layer_ = cuda::DeviceArray<float>(cells);
    copy_ = cuda::DeviceArray<float>(cells);
    reset();
  }

  void reset() override { cuda::initialise(layer_.span()); }

  Maximum apply(const StormView& storm) override {
    const std::span<const Impact> impacts = sent(storm.impacts);
    cuda::update(rule_, impacts, part_.held.begin, layer_.span());
    cuda::copy(layer_.span(), copy_.span());
    cuda::relax(copy_.span(), layer_.span());
    const IndexedValue highest = max_location_(layer_.span(), part_.own_among_held());
    return maximum_of(highest, part_.held.begin);
  }

  void begin_with(const LayerView& held) override {
    layer_.copy_from(std::get<std::span<const float>>(held));
  }

  Layer layer() const override {
    std::vector<float> held(static_cast<std::size_t>(part_.held.count()));
    layer_.copy_to(held);
    return own_cells<float>(held, part_);
  }

 private:
  /// The impacts in device memory.
  std::span<const Impact> sent(std::span<const Impact> impacts) {
    const auto count = static_cast<std::int64_t>(impacts.size());
    impacts_.at_least(count, fmt::format("a storm of {} impacts", count));
    impacts_.copy_from(impacts);
    return std::as_const(impacts_).span().first(impacts.size());
  }

  Part part_;
  LayerRule rule_;
  cuda::DeviceArray<float> layer_, copy_;
  cuda::DeviceArray<Impact> impacts_;  ///< of the last storm
  cuda::MaxLocation max_location_;
};

std::unique_ptr<Engine> make(const EngineOptions& options) {
  return std::make_unique<CudaStaged>(options);
}

const Registered engine{DeviceEngine{"cuda_staged", make}};

}  // namespace

}  // namespace bombard
