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
#include "sim/engines/engines.hpp"
#include "sim/engines/fast/error_bound.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/storm_upload.hpp"
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
    const auto count = static_cast<std::int64_t>(storms.size());
    found_.at_least(count);
    for (std::size_t begin = 0; begin < storms.size();) {
      begin += apply_first(storms.subspan(begin), found_.span().data() + begin);
    }
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
  /// The first of these storms, or several small ones together; says how many.
  std::size_t apply_first(std::span<const StormView> storms, Screened* found) {
    const ProfilingRange range("double storms");
    // States are exchanged storm by storm.
    const auto sent = storms_.send(neighbours_ == nullptr ? storms : storms.first(1));
    if (neighbours_ != nullptr) {
      apply_with_neighbours(sent.front(), found);
    } else {
      for (const StormView& storm : sent) apply_alone(storm, found++);
    }
    storms_.release();
    return sent.size();
  }

  void apply_with_neighbours(const StormView& sent, Screened* found) {
    const StormExtent& whole = sent.extent;
    if (whole.lowest <= whole.highest) layer_.cover(whole.lowest, whole.highest);
    if (!every_share_counts(rule_, whole, {0, part_.total})) {
      apply_directly(sent.impacts, found);
      return;
    }
    const cuda::StormImpacts storm{.impacts = sent.impacts,
                                   .lowest = whole.lowest,
                                   .highest = whole.highest,
                                   .states_come_in = true};
    layer_.gather(storm);
    layer_.apply_gathered(found, neighbours_->exchanged(layer_));
  }

  void apply_alone(const StormView& sent, Screened* found) {
    const StormExtent& extent = sent.extent;
    if (every_share_counts(rule_, extent, {0, part_.total})) {
      layer_.apply({.impacts = sent.impacts, .lowest = extent.lowest, .highest = extent.highest},
                   found);
    } else {
      apply_directly(sent.impacts, found);
    }
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
    std::visit(
        [&](const auto& rule) {
          layer_.apply_directly(impacts, cuda::find_reaches(rule, impacts, reaches_), found);
        },
        rule_);
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
