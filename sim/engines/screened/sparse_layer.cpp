// A screened layer that is not stored (docs/methods.md, Sparse): its cost depends on the impacts
// alone.

#include "kernels/convolution/sparse/sparse_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "kernels/base/host_memory.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/screened/error_bound.hpp"
#include "sim/engines/screened/screened_layer.hpp"
#include "sim/engines/screened/screening.hpp"

namespace bombard {

namespace {

// Memory for this many impacts, 40 MB, is always there, and asking takes longer than computing
// them.
constexpr std::int64_t few_impacts = 100'000;

// Up to this many cells, a table of 32 MB says which of them are hit.
constexpr std::int64_t most_cells_to_look_up = std::int64_t{1} << 28;

/// The number of sources that impacts on a layer form: those on one cell are one. Those beside the
/// layer count as if they were on its ends.
std::int64_t sources_of(std::span<const Impact> impacts, std::int64_t cells) {
  if (cells > most_cells_to_look_up) return std::ssize(impacts);
  std::vector<bool> hit(static_cast<std::size_t>(cells));
  for (const Impact& impact : impacts) {
    hit[static_cast<std::size_t>(std::clamp<std::int64_t>(impact.position, 0, cells - 1))] = true;
  }
  return std::ranges::count(hit, true);
}

class SparseLayer final : public ScreenedLayer {
 public:
  explicit SparseLayer(const EngineOptions& options)
      : ScreenedLayer(options,  // all other cells may be asked for
                      {options.part.own, {0, options.part.total}, options.part.total},
                      Precision::binary32),
        layer_(part_.total, options.rule.attenuation, options.rule.scale_in_double(part_.total),
               relative_error()) {}

  bool is_stored() const override { return false; }

  void begin_with(const LayerView& none) override {
    layer_.clear();
    reset_bound(none);
    storms_ = 0;
    work_ = 0;
    screening_.reset();
  }

  /// It takes positive energies and few neighbourhoods.
  const char* add(const StormView& storm) override {
    ask_for_memory(std::ssize(storm.impacts));
    ++storms_;
    if (const char* const why = why_not(storm)) return why;
    std::vector<Impact> deposits;
    deposits.reserve(storm.impacts.size());
    std::ranges::copy_if(storm.impacts, std::back_inserter(deposits),
                         [](const Impact& impact) { return impact.energy != 0; });
    layer_.add_storm(deposits);
    if (!bound_->add_storm(storm, layer_.relative_error())) return bound_->why_none();
    if (bound_->tracked_from()) return "there are many impacts to a cell";
    screening_.emplace(layer_, part_, bound_->factor(), bound_->absolute(), most_one_by_one,
                       [this] { return !is_worth_(work()); });
    return nullptr;
  }

  double work() const override {
    return work_ + cost_of_share * static_cast<double>(layer_.shares_added());
  }

  const Screening& screening(std::size_t) const override { return *screening_; }
  std::int64_t cells_seen() const override { return screening_ ? screening_->looked_at() : 0; }

  std::vector<double> values() const override { throw std::logic_error("no layer is stored"); }
  std::vector<float> uncertainties() const override {
    throw std::logic_error("no layer is stored");
  }
  double value(std::int64_t cell) override { return layer_.value(cell); }

 private:
  void ask_for_memory(std::int64_t impacts) {
    impacts_unasked_ += impacts;
    if (impacts_unasked_ <= few_impacts) return;
    require_host_memory(impacts_unasked_ * bytes_of_sparse_impact,
                        fmt::format("storms of {} impacts", impacts_unasked_));
    impacts_unasked_ = 0;
  }

  const char* why_not(const StormView& storm) {
    if (!every_share_counts(rule_, storm.extent, part_.held)) return not_every_share_counts;
    if (storm.extent.negative) return "an energy is negative";
    if (storms_ > most_sparse_storms) return "there are more than 1000 storms";
    const auto why_not_with = [&](std::int64_t sources, double& cost) -> const char* {
      const auto near = static_cast<double>(layer_.neighbourhood_cells(sources));
      if (neighbourhoods_cover(near, static_cast<double>(part_.total))) {
        return "the neighbourhoods of impacts cover the layer";
      }
      cost = cost_of_source * static_cast<double>(layer_.sources() + sources);
      return is_worth_(work() + cost) ? nullptr : "a stored layer takes less time";
    };
    double cost = 0;
    const char* why = why_not_with(storm.extent.impacts, cost);
    // Impacts on one cell are one source.
    if (why != nullptr) why = why_not_with(sources_of(storm.impacts, part_.total), cost);
    if (why == nullptr) work_ += cost;
    return why;
  }

  cpu::SparseLayer layer_;
  std::size_t storms_ = 0;
  std::int64_t impacts_unasked_ = 0;  ///< whose memory has not been asked for
  std::optional<LayerScreening<cpu::SparseLayer>> screening_;
};

}  // namespace

std::unique_ptr<ScreenedLayer> make_sparse_layer(const EngineOptions& options) {
  return std::make_unique<SparseLayer>(options);
}

}  // namespace bombard
