// The true sums instead of the rule's: the layer in binary64 by exponential sums, and its maxima as
// they are (docs/methods.md, Double precision).

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/base/host_memory.hpp"
#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/fast/error_bound.hpp"
#include "sim/engines/fast/screening.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/ranks/slab_neighbours.hpp"

namespace bombard {

namespace {

// A storm's reaches and, of each impact on the layer, its cell and energy once more and, for each
// cell that they fall on, 9 bytes. (Of one outside it, a distance and an energy: no more.)
constexpr std::int64_t bytes_an_impact = 25;

class CpuDouble final : public DenseEngine {
 public:
  explicit CpuDouble(const EngineOptions& options)
      : part_(with_margin(options.part, options.storms)),
        rule_(options.rule),
        reaches_of_energies_(layer_rule(rule_, part_.total)),
        threads_(thread_count(options)),
        neighbours_(options.neighbours),
        layer_(slab(), rule_.attenuation, rule_.scale_in_double(part_.total),
               double_precision_error, threads_) {}

  std::vector<Maximum> apply(std::span<const StormView> storms) override {
    std::vector<Maximum> maxima;
    for (const StormView& storm : storms) maxima.push_back(apply(storm));
    return maxima;
  }

  void begin_with(const LayerView& held) override {
    layer_.begin_with(std::get<std::span<const double>>(held));
  }

  void reset() override {
    layer_.clear();
    absolute_error_ = 0;
  }

  Layer layer() const override {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(part_.own.count()));
    const CellRange own = part_.own_among_held();
    for (std::int64_t i = own.begin; i < own.end; ++i) values.push_back(layer_.value(i));
    return values;
  }

 private:
  /// A layer of its own without neighbours.
  Slab slab() const {
    const std::int64_t cells = part_.held.count();
    return neighbours_ == nullptr ? Slab{0, cells, cells}
                                  : Slab{part_.held.begin, cells, part_.total};
  }

  Maximum apply(const StormView& storm) {
    make_room(static_cast<std::int64_t>(storm.impacts.size()));
    const StormExtent& extent = storm.extent;
    // A fact about one slab holds for all: a source leaves them as it has come.
    reaches_ = reaches_of_energies_.of(storm, {0, part_.total});
    if (neighbours_ != nullptr && extent.lowest <= extent.highest)
      layer_.cover(extent.lowest, extent.highest);
    layer_.gather({.impacts = storm.impacts, .reaches = reaches_, .origin = part_.held.begin});
    layer_.apply_gathered(neighbours_ == nullptr ? ComingIn{} : neighbours_->exchanged(layer_));
    if (!reaches_.empty()) {  // sources leave something beyond their reaches
      absolute_error_ += layer_.cut_error() * static_cast<double>(extent.impacts) *
                         rule_.smallest_share_in_double(part_.total);
    }
    return first_of(LayerScreening(layer_, part_, 0, absolute_error_).best_peaks(1));
  }

  /// Asks for memory for a storm of more impacts than any before: the convolution keeps its memory.
  void make_room(std::int64_t impacts) {
    if (impacts <= most_impacts_) return;
    require_host_memory(impacts * bytes_an_impact, fmt::format("a storm of {} impacts", impacts));
    most_impacts_ = impacts;
  }

  Part part_;
  Rule rule_;
  Reaches reaches_of_energies_;
  int threads_;
  SlabNeighbours* neighbours_;
  std::int64_t most_impacts_ = 0;  ///< in a storm so far
  std::vector<std::int64_t>
      reaches_;                ///< of the last storm's impacts; none when every share counts
  cpu::ConvolvedLayer layer_;  ///< of the cells held
  double absolute_error_ = 0;  ///< of any cell, beyond what is relative to its value
};

}  // namespace

std::unique_ptr<Engine> make_cpu_double(const EngineOptions& options) {
  return std::make_unique<CpuDouble>(options);
}

}  // namespace bombard
