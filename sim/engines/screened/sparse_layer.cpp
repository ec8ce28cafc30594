// A screened layer that is not stored (docs/methods.md, Sparse): its cost depends on the impacts
// alone.

#include "kernels/convolution/sparse/sparse_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
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

/// The most candidates that are computed in double precision, 25 ns a share.
std::size_t most_candidates_in_double(double shares_of_cell) {
  return 64 + static_cast<std::size_t>(1e8 / (3 * shares_of_cell));
}

class SparseLayer final : public ScreenedLayer {
 public:
  SparseLayer(const EngineOptions& options, Precision precision)
      : ScreenedLayer(options,  // all other cells may be asked for
                      {options.part.own, {0, options.part.total}, options.part.total}, precision),
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

  /// It takes positive energies and few neighbourhoods, and all impacts except those that count in
  /// no cell.
  const char* add(const StormView& storm) override {
    ask_for_memory(std::ssize(storm.impacts));
    ++storms_;
    const CellRange cells{0, part_.total};
    const bool shares_end = !every_share_counts(reaches_.rule(), storm.extent, cells);
    if (const char* const why = why_not(storm, shares_end)) return why;
    const std::vector<std::int64_t> reaches = reaches_.of(storm, cells);
    std::vector<Impact> deposits;
    std::vector<std::int64_t> of_deposits;
    deposits.reserve(storm.impacts.size());
    for (std::size_t i = 0; i < storm.impacts.size(); ++i) {
      const Impact& impact = storm.impacts[i];
      if (impact.energy == 0) continue;
      if (shares_end) {
        const CellRange counted{impact.position - reaches[i] + 1, impact.position + reaches[i]};
        if (counted.common(cells).count() <= 0) continue;
        of_deposits.push_back(counted.contains(cells) ? reaches_everywhere : reaches[i]);
      }
      deposits.push_back(impact);
    }
    layer_.add_storm(deposits, of_deposits);
    if (layer_.has_too_much_excess()) return "many shares count and many do not";
    if (bound_) {
      if (!bound_->add_storm(storm, layer_.relative_error())) return bound_->why_none();
      if (bound_->tracked_from()) return "there are many impacts to a cell";
    }
    look_again();
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
  /// The sum of the shares that count has these peaks.
  std::optional<std::vector<CellValue>> highest_peaks(std::size_t count, std::size_t) override {
    if (layer_.excess() == 0) return screening_->best_peaks(count);
    PeakSearch search(*screening_, count, 1, most_candidates_in_double(layer_.shares_of_cell()));
    while (search.asks() && search.candidates().gaps.empty()) {
      search.take(counted_peaks(search.candidates().cells));
    }
    if (search.has_found()) return search.peaks();
    return refine() ? highest_peaks(count, 0) : std::nullopt;
  }
  bool refine() override {
    if (!layer_.drop_excess()) return false;
    look_again();
    return true;
  }
  double value(std::int64_t cell) override { return layer_.counted(cell); }

 private:
  /// In double precision bounds matter only where the layer may be too high.
  void look_again() {
    const double of_excess = layer_.excess() > 0 ? 2 * layer_.relative_error() : 0;
    const double factor = bound_ ? bound_->factor() : of_excess;
    screening_.emplace(layer_, part_, factor, bound_ ? bound_->absolute() : 0,
                       in_double() ? most_in_gaps : most_one_by_one,
                       [this] { return !in_double() && !is_worth_(work()); });
  }

  std::vector<CellValue> counted_peaks(const std::vector<std::int64_t>& cells) {
    std::vector<CellValue> peaks;
    for (const std::int64_t cell : cells) {
      const double here = layer_.counted(cell);
      if (here > layer_.counted(cell - 1) && here > layer_.counted(cell + 1)) {
        peaks.push_back({cell, here});
      }
    }
    return peaks;
  }

  void ask_for_memory(std::int64_t impacts) {
    impacts_unasked_ += impacts;
    if (impacts_unasked_ <= few_impacts) return;
    require_host_memory(impacts_unasked_ * bytes_of_sparse_impact,
                        fmt::format("storms of {} impacts", impacts_unasked_));
    impacts_unasked_ = 0;
  }

  const char* why_not(const StormView& storm, bool shares_end) {
    if (storm.extent.negative) return "an energy is negative";
    if (storms_ > most_sparse_storms) return "there are more than 1000 storms";
    const auto why_not_with = [&](std::int64_t sources, double& cost) -> const char* {
      const auto near = static_cast<double>(layer_.neighbourhood_cells(sources, shares_end));
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

std::unique_ptr<ScreenedLayer> make_sparse_layer(const EngineOptions& options,
                                                 Precision precision) {
  return std::make_unique<SparseLayer>(options, precision);
}

}  // namespace bombard
