// The true sums instead of the rule's: the layer in binary64 by exponential sums, and its maxima as
// they are (docs/methods.md, Double precision).

#include <fmt/format.h>

#include <vector>

#include "kernels/attenuation.hpp"
#include "kernels/convolution.hpp"
#include "kernels/host_memory.hpp"
#include "sim/engines.hpp"
#include "sim/every_share.hpp"
#include "sim/screening.hpp"
#include "sim/storm_extent.hpp"

namespace bombard {

namespace {

// A storm's deposits, and the sources that the convolution sorts them into.
constexpr std::int64_t bytes_an_impact = 80;

template <class Law>
class CpuDouble final : public Engine {
 public:
  explicit CpuDouble(const EngineOptions& options)
      : part_(options.part),
        held_(with_margin(options.part, options.storms)),
        smallest_(smallest_share(options.threshold, options.part.total)),
        layer_(held_.count, Law::power, 1000.0 / static_cast<double>(part_.total),
               double_precision_error, thread_count(options)) {}

  std::vector<Maximum> apply(std::span<const Storm> storms) override {
    std::vector<Maximum> maxima;
    for (const Storm& storm : storms) maxima.push_back(apply(storm));
    return maxima;
  }

  void reset() override { layer_.clear(); }

  std::vector<double> layer_in_double() const override {
    std::vector<double> values(static_cast<std::size_t>(part_.count));
    for (std::int64_t i = 0; i < part_.count; ++i) values[i] = layer_.value(held_.offset + i);
    return values;
  }

  std::vector<float> layer() const override {
    const std::vector<double> values = layer_in_double();
    return {values.begin(), values.end()};
  }

 private:
  Maximum apply(const Storm& storm) {
    require_memory(static_cast<std::int64_t>(storm.impacts.size()));
    require_every_share<Law>(storm, extent(storm), held_, part_.total, smallest_);
    std::vector<Deposit> deposits;
    deposits.reserve(storm.impacts.size());
    for (const Impact& impact : storm.impacts) {
      if (impact.energy != 0) deposits.push_back({impact.position - held_.first, impact.energy, 0});
    }
    layer_.apply(deposits, {0, 0});
    const Screening screening(layer_, 0, held_.offset, held_.offset + part_.count);
    const auto peak = screening.best_peak();
    if (!peak) return {};
    return {held_.first + *peak, layer_.value(*peak)};
  }

  /// For a storm of more impacts than any before: the convolution keeps what it has taken.
  void require_memory(std::int64_t impacts) {
    if (impacts <= most_impacts_) return;
    require_host_memory(impacts * bytes_an_impact, fmt::format("a storm of {} impacts", impacts));
    most_impacts_ = impacts;
  }

  Part part_;
  PartWithMargin held_;
  float smallest_;
  std::int64_t most_impacts_ = 0;  ///< of a storm so far
  cpu::ConvolvedLayer layer_;      ///< of the cells held
};

}  // namespace

std::unique_ptr<Engine> make_cpu_double(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).count;
  require_host_memory(cpu::ConvolvedLayer::bytes(cells, false), "cpu_double");
  return std::make_unique<CpuDouble<SquareRootLaw>>(options);
}

}  // namespace bombard
