#include "sim/engines/direct/cuda_direct.hpp"

#include <utility>

#include "kernels/base/registry.hpp"
#include "sim/engines/engines.hpp"

namespace bombard {

CudaDirect::CudaDirect(const EngineOptions& options)
    : part_(with_margin(options.part, options.storms)),
      rule_(layer_rule(options.rule, part_.total)),
      storms_(options.storms),
      keep_layer_(options.keep_layer),
      upload_(thread_count(options)),
      fused_storm_(rule_, part_) {}

Maximum CudaDirect::apply(const StormView& storm) {
  ++storms_applied_;
  const bool layer_needed = keep_layer_ || storms_applied_ < storms_;
  if (layer_needed) after_.at_least(part_.held.count(), "the layer");
  const bool all_count = every_share_counts(rule_, storm.extent, part_.held);
  const IndexedValue peak =
      fused_storm_(upload_.send(storm.impacts), all_count, std::as_const(before_).span(),
                   layer_needed ? after_.span() : std::span<float>());
  std::swap(before_, after_);
  return maximum_of(peak, part_.held.begin);
}

void CudaDirect::begin_with(const LayerView& held) {
  const auto cells = std::get<std::span<const float>>(held);
  before_.at_least(std::ssize(cells), "the initial layer");
  before_.copy_from(cells);
}

void CudaDirect::reset() {
  storms_applied_ = 0;
  before_ = cuda::DeviceArray<float>();
}

Layer CudaDirect::layer() const {
  std::vector<float> held(static_cast<std::size_t>(part_.held.count()));  // 0 before any storm
  if (before_.size() > 0) before_.copy_to(held);
  return own_cells<float>(held, part_);
}

namespace {

std::unique_ptr<Engine> make(const EngineOptions& options) {
  return std::make_unique<CudaDirect>(options);
}

const Registered engine{DeviceEngine{"cuda_direct", make}};

}  // namespace

}  // namespace bombard
