// The rule as it is written down (docs/methods.md, The rule), one Eigen array per step.

#include <Eigen/Core>
#include <cmath>
#include <cstdint>

#include "kernels/base/host_memory.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "kernels/layer/rule.hpp"
#include "sim/engines/engines.hpp"

namespace bombard {

namespace {

using Cells = Eigen::Array<std::int64_t, Eigen::Dynamic, 1>;

class Reference final : public Engine {
 public:
  explicit Reference(const EngineOptions& options)
      : part_(with_margin(options.part, options.storms)),
        energy_(energy_scale(options.rule, part_.total)),
        smallest_(options.rule.smallest_share(part_.total)),
        layer_(Eigen::ArrayXf::Zero(part_.held.count())),
        distance_(layer_.size()),
        share_(layer_.size()),
        cell_(Cells::LinSpaced(layer_.size(), part_.held.begin, part_.held.end - 1)) {}

  Maximum apply(const StormView& storm) override {
    for (const Impact& impact : storm.impacts) {
      add(impact);
      StoppableWork::may_stop(static_cast<double>(layer_.size()));
    }
    relax();
    return maximum();
  }

  void begin_with(const LayerView& held) override {
    const auto cells = std::get<std::span<const float>>(held);
    layer_ = Eigen::Map<const Eigen::ArrayXf>(cells.data(), layer_.size());
  }

  void reset() override { layer_.setZero(); }

  Layer layer() const override {
    const auto own = layer_.segment(part_.own_among_held().begin, part_.own.count());
    return std::vector<float>(own.begin(), own.end());
  }

 private:
  void add(const Impact& impact) {
    distance_ = ((cell_ - impact.position).abs() + 1).cast<float>();
    const float energy = energy_(impact.energy);
    // Not distance_.sqrt(): Eigen 3.4 takes roots one by one where it has AVX-512.
    share_ = distance_.unaryExpr([energy](float n) { return energy / std::sqrt(n); });
    layer_ = (share_.abs() >= smallest_).select(layer_ + share_, layer_);
  }

  void relax() {
    const Eigen::Index inner = layer_.size() - 2;
    if (inner < 1) return;
    const Eigen::ArrayXf copy = layer_;
    layer_.segment(1, inner) =
        (copy.head(inner) + copy.segment(1, inner) + copy.tail(inner)) / 3.0F;
  }

  Maximum maximum() const {
    Maximum largest;
    const CellRange own = part_.own_among_held();
    for (std::int64_t i = own.begin; i < own.end; ++i) {
      if (i == 0 || i == layer_.size() - 1) continue;  // an end of the layer
      const bool peak = layer_[i] > layer_[i - 1] && layer_[i] > layer_[i + 1];
      if (peak && layer_[i] > largest.value) largest = {part_.held.begin + i, layer_[i]};
    }
    return largest;
  }

  Part part_;
  EnergyScale energy_;
  float smallest_;
  Eigen::ArrayXf layer_;
  Eigen::ArrayXf distance_;
  Eigen::ArrayXf share_;
  Cells cell_;
};

}  // namespace

std::unique_ptr<Engine> make_reference(const EngineOptions& options) {
  return std::make_unique<Reference>(options);
}

}  // namespace bombard
