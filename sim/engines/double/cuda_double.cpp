// The true sums instead of the rule's, on a GPU: the layer in binary64 by exponential sums, and its
// maxima as they are (docs/methods.md, Double precision). Mirrors cpu_double.cpp, but for storms
// whose shares end: here these are added one by one.

#include <vector>

#include "kernels/base/profiling_range.hpp"
#include "kernels/base/registry.hpp"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/convolution/cuda/direct_sums.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/share/reaches.hpp"
#include "sim/engines/double/storm_upload.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/fast/error_bound.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/ranks/slab_neighbours.hpp"

namespace bombard {

namespace {

// From this number of pairs of a cell and an impact on, blocks of cells that ask only the impacts
// near them repay sorting (docs/journal.md, A third less): 0.3 ms for 60000 impacts.
constexpr double pairs_to_sort = 1e12;

class CudaDouble final : public DenseEngine {
 public:
  explicit CudaDouble(const EngineOptions& options)
      : part_(with_margin(options.part, options.storms)),
        rule_(layer_rule(options.rule, part_.total)),
        neighbours_(options.neighbours),
        layer_({part_.held.begin, part_.held.count(), part_.total}, part_.own_among_held(),
               options.rule.attenuation, options.rule.scale_in_double(part_.total),
               double_precision_error),
        storms_(thread_count(options)) {}

  std::vector<Maximum> apply(std::span<const StormView> storms) override {
    if (storms.empty()) return {};
    found_.at_least(std::ssize(storms));
    Screened* of_storm = found_.span().data();
    for (const StormView& storm : storms) apply(storm, of_storm++);
    std::vector<Screened> found(storms.size());
    found_.copy_to(found);
    std::vector<Maximum> maxima;
    for (const Screened& screened : found) {
      maxima.push_back(screened.peak.index < 0
                           ? Maximum{}
                           : Maximum{part_.held.begin + screened.peak.index, screened.peak.value});
    }
    return maxima;
  }

  void begin_with(const LayerView& held) override {
    layer_.begin_with(std::get<std::span<const double>>(held));
  }

  void reset() override { layer_.clear(); }

  Layer layer() const override {
    std::vector<double> values(static_cast<std::size_t>(part_.held.count()));
    layer_.values(values);
    const auto own = slice(std::span(values), part_.own_among_held());
    return std::vector<double>(own.begin(), own.end());
  }

 private:
  void apply(const StormView& storm, Screened* found) {
    const ProfilingRange range("double storm");
    const std::span<const Impact> sent = storms_.send(storm.impacts);
    const StormExtent& whole = storm.extent;
    if (neighbours_ != nullptr && whole.lowest <= whole.highest) {
      layer_.cover(whole.lowest, whole.highest);
    }
    if (every_share_counts(rule_, whole, {0, part_.total})) {
      const cuda::StormImpacts gathered{.impacts = sent,
                                        .lowest = whole.lowest,
                                        .highest = whole.highest,
                                        .states_come_in = neighbours_ != nullptr};
      layer_.gather({&gathered, 1});
      layer_.apply_gathered(found,
                            neighbours_ != nullptr ? neighbours_->exchanged(layer_) : ComingIn{});
    } else {
      if (neighbours_ != nullptr) neighbours_->exchange_nothing();
      apply_directly(sent, found);
    }
    storms_.release();
  }

  /// A storm whose shares end.
  void apply_directly(std::span<const Impact> impacts, Screened* found) {
    if (static_cast<double>(part_.held.count()) * static_cast<double>(impacts.size()) >=
        pairs_to_sort) {
      sorted_.at_least(static_cast<std::int64_t>(impacts.size()), "impacts by position");
      const std::span<Impact> sorted = sorted_.span().first(impacts.size());
      cuda::sort_by_position(impacts, sorted);
      impacts = sorted;
    }
    layer_.apply_directly(impacts, find_reaches(impacts), found);
  }

  std::span<const std::int64_t> find_reaches(std::span<const Impact> impacts) {
    reaches_.at_least(static_cast<std::int64_t>(impacts.size()));
    const std::span<std::int64_t> reaches = reaches_.span().first(impacts.size());
    std::visit([&](const auto& rule) { cuda::find_reaches(rule, impacts, reaches); }, rule_);
    return reaches;
  }

  Part part_;
  AnyLayerRule rule_;
  SlabNeighbours* neighbours_;
  cuda::ConvolvedLayer layer_;  ///< of the cells held
  StormUpload storms_;
  cuda::DeviceArray<Impact> sorted_;         ///< the last storm's, by position
  cuda::DeviceArray<std::int64_t> reaches_;  ///< of the last storm's impacts
  cuda::DeviceArray<Screened> found_;        ///< after each storm of a call
};

std::unique_ptr<Engine> make(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).held.count();
  cuda::require_device_memory(cuda::ConvolvedLayer::bytes(cells, false), "cuda_double");
  return std::make_unique<CudaDouble>(options);
}

void load(const Rule&, std::int64_t) {
  cuda::ConvolvedLayer::load();
}

const Registered engine{DeviceEngine{"cuda_double", make, load}};

}  // namespace

}  // namespace bombard
