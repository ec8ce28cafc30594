// The true sums on a GPU: the layer itself is the answer, and nothing is confirmed.

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "kernels/base/profiling_range.hpp"
#include "kernels/base/registry.hpp"
#include "kernels/convolution/candidates.hpp"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/screened/error_bound.hpp"
#include "sim/engines/storm_upload.hpp"

namespace bombard {

namespace {

class CudaDouble final : public Engine {
 public:
  explicit CudaDouble(const EngineOptions& options)
      : part_(with_margin(options.part, options.storms)),
        upload_(thread_count(options)),
        layer_(part_.held.count(), part_.own_among_held(), options.rule.attenuation,
               options.rule.scale_in_double(part_.total), double_precision_error),
        found_(1) {}

  Maximum apply(const StormView& storm) override {
    const ProfilingRange range("double storm");
    layer_.apply({.impacts = upload_.send(storm.impacts),
                  .lowest = storm.extent.lowest,
                  .highest = storm.extent.highest,
                  .origin = part_.held.begin},
                 found_.span().data());
    cuda::synchronize();
    return maximum_of(found_.span().front().peak, part_.held.begin);
  }

  void reset() override { layer_.clear(); }

  void begin_with(const LayerView& held) override {
    layer_.begin_with(std::get<std::span<const double>>(held));
  }

  Layer layer() const override {
    std::vector<double> held(static_cast<std::size_t>(part_.held.count()));
    layer_.values(held);
    return own_cells<double>(held, part_);
  }

 private:
  Part part_;
  StormUpload upload_;
  cuda::ConvolvedLayer layer_;         ///< of the cells held
  cuda::PinnedArray<Screened> found_;  ///< in the last storm; the device writes it here
};

std::unique_ptr<Engine> make(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).held.count();
  cuda::require_device_memory(cuda::ConvolvedLayer::bytes(cells, false), "cuda_double");
  return std::make_unique<CudaDouble>(options);
}

const Registered engine{DeviceEngine{"cuda_double", make}};

}  // namespace

}  // namespace bombard
