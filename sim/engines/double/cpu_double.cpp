// The true sums on a CPU: the layer itself is the answer, and nothing is confirmed.

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/screened/error_bound.hpp"
#include "sim/engines/screened/layer_screening.hpp"

namespace bombard {

namespace {

class CpuDouble final : public Engine {
 public:
  explicit CpuDouble(const EngineOptions& options)
      : part_(with_margin(options.part, options.storms)),
        layer_(part_.held.count(), options.rule.attenuation,
               options.rule.scale_in_double(part_.total), double_precision_error,
               thread_count(options)) {}

  Maximum apply(const StormView& storm) override {
    layer_.apply({.impacts = storm.impacts, .origin = part_.held.begin});
    return first_of(LayerScreening(layer_, part_, 0, 0).best_peaks(1));
  }

  void reset() override { layer_.clear(); }

  void begin_with(const LayerView& held) override {
    layer_.begin_with(std::get<std::span<const double>>(held));
  }

  Layer layer() const override {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(part_.own.count()));
    const CellRange own = part_.own_among_held();
    for (std::int64_t i = own.begin; i < own.end; ++i) values.push_back(layer_.value(i));
    return values;
  }

 private:
  Part part_;
  cpu::ConvolvedLayer layer_;  ///< of the cells held
};

}  // namespace

std::unique_ptr<Engine> make_cpu_double(const EngineOptions& options) {
  return std::make_unique<CpuDouble>(options);
}

}  // namespace bombard
