// The true sums' maxima at a cost that goes by the impacts alone: the layer of which no cell is
// stored, and its highest peak (docs/methods.md, Sparse).

#include <optional>
#include <vector>

#include "kernels/convolution/sparse_layer.hpp"
#include "sim/engines/double_precision.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/sparse_engine.hpp"
#include "sim/engines/sparse_screening.hpp"

namespace bombard {

namespace {

class CpuSparseDouble final : public SparseEngine {
 public:
  explicit CpuSparseDouble(const EngineOptions& options)
      : SparseEngine(options, {"cpu_double"}),
        cells_{0, options.part.total},
        counting_(counting_rule(options.rule, options.part.total)),
        reaches_(counting_),
        layer_(options.part.total, options.rule.attenuation,
               options.rule.scale_in_double(options.part.total), double_precision_error,
               thread_count(options)) {}

 private:
  std::optional<Found> find_maximum(const StormView& storm) override {
    const StormExtent extent = extent_of(storm.impacts);
    const bool shares_end = !every_share_counts(counting_, extent, cells_);
    if (const char* why = why_not(extent, layer_.neighbourhood_cells(extent.impacts, shares_end))) {
      return say_why(why);
    }
    const auto [deposits, reaches] = deposits_of(storm.impacts, shares_end, reaches_);
    layer_.add_storm(deposits, reaches);
    if (layer_.excess() > 0) return say_why("many shares count and many do not");
    const SparseScreening screening(layer_, 0, 0, options_.part.own);
    const std::optional<std::int64_t> peak = screening.best_peak();
    return Found{peak ? Maximum{*peak, layer_.value(*peak)} : Maximum{},
                 {.cells_seen = screening.cells_seen(), .true_sums = true}};
  }

  std::vector<CellValue> find_values(std::span<const CellRange> cells) override {
    std::vector<CellValue> values;
    for (const CellRange& range : cells) {
      for (std::int64_t k = range.begin; k < range.end; ++k) values.push_back({k, layer_.value(k)});
    }
    return values;
  }

  std::optional<std::vector<CellValue>> find_peaks(std::size_t count) override {
    const SparseScreening screening(layer_, 0, 0, options_.part.own);
    std::vector<CellValue> peaks;
    for (const std::int64_t peak : screening.best_peaks(count)) {
      peaks.push_back({peak, layer_.value(peak)});
    }
    return peaks;
  }

  void forget_storms() override { layer_.clear(); }

  CellRange cells_;
  CountingRule counting_;
  Reaches reaches_;
  cpu::SparseLayer layer_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_sparse_double(const EngineOptions& options) {
  return std::make_unique<CpuSparseDouble>(options);
}

}  // namespace bombard
