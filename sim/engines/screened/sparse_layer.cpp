// A screened layer that is not stored (docs/methods.md, Sparse): its cost depends on the impacts
// alone.

#include "kernels/convolution/sparse/sparse_layer.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "sim/engines/costs.hpp"
#include "sim/engines/screened/error_bound.hpp"
#include "sim/engines/screened/layer_screening.hpp"
#include "sim/engines/screened/screened_layer.hpp"

namespace bombard {

namespace {

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
      : rule_(options.rule),
        part_{options.part.own, {0, options.part.total}, options.part.total},
        layer_(part_.total, rule_.attenuation, rule_.scale_in_double(part_.total), fast_error) {
    clear();
  }

  void clear() override {
    layer_.clear();
    bound_.emplace(part_);
    storms_ = 0;
    screening_.reset();
  }

  /// It takes positive energies and few neighbourhoods.
  const char* add(const StormView& storm) override {
    ++storms_;
    if (const char* const why = why_not(storm)) return why;
    std::vector<Impact> deposits;
    deposits.reserve(storm.impacts.size());
    std::ranges::copy_if(storm.impacts, std::back_inserter(deposits),
                         [](const Impact& impact) { return impact.energy != 0; });
    layer_.add_storm(deposits);
    if (const char* const why = bound_->add_storm(storm, layer_.relative_error())) return why;
    if (bound_->tracked_from()) return "there are many impacts to a cell";
    screening_.emplace(layer_, part_, bound_->factor(), bound_->absolute());
    return nullptr;
  }

  const Screening& screening() const override { return *screening_; }
  std::int64_t cells_seen() const override { return screening_->looked_at(); }
  double most_interactions() const override { return interactions_of_a_second; }

 private:
  const char* why_not(const StormView& storm) const {
    if (!every_share_counts(layer_rule(rule_, part_.total), storm.extent, part_.held)) {
      return not_every_share_counts;
    }
    if (storm.extent.negative) return "an energy is negative";
    if (storms_ > most_sparse_storms) return "there are more than 1000 storms";
    const auto cover = [&](std::int64_t sources) {
      return neighbourhoods_cover(static_cast<double>(layer_.neighbourhood_cells(sources)),
                                  static_cast<double>(part_.total));
    };
    if (cover(storm.extent.impacts) && cover(sources_of(storm.impacts, part_.total))) {
      return "the neighbourhoods of impacts cover the layer";
    }
    return nullptr;
  }

  Rule rule_;
  Part part_;  ///< any cells may be asked for, so it holds all
  cpu::SparseLayer layer_;
  std::optional<ErrorBound> bound_;
  std::size_t storms_ = 0;
  std::optional<LayerScreening<cpu::SparseLayer>> screening_;
};

}  // namespace

std::unique_ptr<ScreenedLayer> make_sparse_layer(const EngineOptions& options) {
  return std::make_unique<SparseLayer>(options);
}

}  // namespace bombard
