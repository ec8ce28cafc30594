// The true sums instead of the rule's: the layer in binary64 by exponential sums, and its maxima as
// they are (docs/methods.md, Double precision).

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "kernels/base/host_array.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/share_out.hpp"
#include "kernels/convolution/convolved_layer.hpp"
#include "kernels/layer/attenuation.hpp"
#include "sim/engines/double_precision.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/screening.hpp"
#include "sim/engines/storm_deposits.hpp"

namespace bombard {

namespace {

// A storm's deposits, their cells and energies once more, and for each cell that they fall on 9
// bytes.
constexpr std::int64_t bytes_an_impact = 33;

template <class Law>
class CpuDouble final : public Engine {
 public:
  explicit CpuDouble(const EngineOptions& options)
      : part_(with_margin(options.part, options.storms)),
        smallest_(smallest_share(options.threshold, part_.total)),
        threads_(thread_count(options)),
        layer_(part_.held.count(), square_root_attenuation,
               1000.0 / static_cast<double>(part_.total), double_precision_error, threads_) {}

  std::vector<Maximum> apply(std::span<const Storm> storms) override {
    std::vector<Maximum> maxima;
    for (const Storm& storm : storms) maxima.push_back(apply(storm));
    return maxima;
  }

  void reset() override { layer_.clear(); }

  std::vector<double> layer_in_double() const override {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(part_.own.count()));
    const CellRange own = part_.own_among_held();
    for (std::int64_t i = own.begin; i < own.end; ++i) values.push_back(layer_.value(i));
    return values;
  }

  std::vector<float> layer() const override {
    const std::vector<double> values = layer_in_double();
    return {values.begin(), values.end()};
  }

 private:
  Maximum apply(const Storm& storm) {
    make_room(static_cast<std::int64_t>(storm.impacts.size()));
    require_every_share<Law>(storm, write_all(storm.impacts), part_, smallest_);
    layer_.apply(deposits_.span().first(storm.impacts.size()));
    const Screening screening(layer_, 0, part_.own_among_held());
    const auto peak = screening.best_peak();
    if (!peak) return {};
    return {part_.held.begin + *peak, layer_.value(*peak)};
  }

  /// Writes the deposits, a block at a time on any thread.
  StormExtent write_all(std::span<const Impact> impacts) {
    constexpr std::size_t block_impacts = std::size_t{1} << 16;
    StormExtent extent;
    std::mutex adding;
    const std::size_t blocks = (impacts.size() + block_impacts - 1) / block_impacts;
    cpu::share_out(static_cast<std::int64_t>(blocks), threads_, [&](const auto& each) {
      StormExtent own;
      each([&](std::int64_t block) {
        const std::size_t from = static_cast<std::size_t>(block) * block_impacts;
        const auto rest = impacts.subspan(from);
        own.add(write_deposits(rest.first(std::min(rest.size(), block_impacts)), part_.held.begin,
                               deposits_.data() + from));
      });
      const std::scoped_lock lock(adding);
      extent.add(own);
    });
    return extent;
  }

  /// For a storm of more impacts than any before: the convolution, too, keeps what it has taken.
  void make_room(std::int64_t impacts) {
    if (impacts <= deposits_.size()) return;
    require_host_memory(impacts * bytes_an_impact, fmt::format("a storm of {} impacts", impacts));
    deposits_.at_least(impacts);
  }

  Part part_;
  float smallest_;
  int threads_;
  HostArray<Deposit> deposits_;
  cpu::ConvolvedLayer layer_;  ///< of the cells held
};

}  // namespace

std::unique_ptr<Engine> make_cpu_double(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).held.count();
  require_host_memory(cpu::ConvolvedLayer::bytes(cells, false), "cpu_double");
  return std::make_unique<CpuDouble<SquareRootLaw>>(options);
}

}  // namespace bombard
