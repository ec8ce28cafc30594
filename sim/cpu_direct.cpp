#include "kernels/attenuation.hpp"
#include "kernels/copy.hpp"
#include "kernels/host_memory.hpp"
#include "kernels/initialise.hpp"
#include "kernels/max_location.hpp"
#include "kernels/relax.hpp"
#include "kernels/update.hpp"
#include "sim/engines.hpp"

namespace bombard {

namespace {

class CpuDirect final : public Engine {
 public:
  explicit CpuDirect(const EngineOptions& options)
      : part_(options.part),
        held_(with_margin(options.part, options.storms)),
        smallest_(smallest_share(options.threshold, options.part.total)),
        layer_(static_cast<std::size_t>(held_.count)),
        copy_(static_cast<std::size_t>(held_.count)) {
    cpu::initialise(0.0F, layer_);
  }

  std::vector<Maximum> apply(std::span<const Storm> storms) override {
    std::vector<Maximum> maxima;
    for (const Storm& storm : storms) {
      std::vector<ScaledImpact> impacts;
      for (const Impact& impact : storm.impacts) {
        impacts.push_back({impact.position, scaled_energy(impact.energy, part_.total)});
      }
      cpu::update<SquareRootLaw>(impacts, smallest_, held_.first, layer_);
      cpu::copy(layer_, copy_);
      cpu::relax(copy_, layer_);
      const std::int64_t begin = std::max<std::int64_t>(0, held_.offset - 1);
      const std::int64_t end = std::min(held_.count, held_.offset + part_.count + 1);
      const IndexedValue largest = cpu::max_location(std::span<const float>(layer_).subspan(
          static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
      maxima.push_back(largest.value > 0
                           ? Maximum{held_.first + begin + largest.index, largest.value}
                           : Maximum{});
    }
    return maxima;
  }

  std::vector<float> layer() const override {
    const float* own = layer_.data() + held_.offset;
    return {own, own + part_.count};
  }

 private:
  Part part_;
  PartWithMargin held_;
  float smallest_;
  std::vector<float> layer_;
  std::vector<float> copy_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_direct(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).count;
  require_host_memory(cells * 2 * static_cast<std::int64_t>(sizeof(float)), "cpu_direct");
  return std::make_unique<CpuDirect>(options);
}

}  // namespace bombard
