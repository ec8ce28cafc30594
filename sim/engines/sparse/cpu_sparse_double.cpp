// The true sums' maxima at a cost that depends on the impacts alone: a layer that is not stored,
// and its highest peak (docs/methods.md, Sparse).

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/convolution/sparse/sparse_layer.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/fast/error_bound.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/sparse/sparse_engine.hpp"

namespace bombard {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

class CpuSparseDouble final : public SparseEngine {
 public:
  explicit CpuSparseDouble(const EngineOptions& options)
      : SparseEngine(options, double_precision_error, {"cpu_double"}) {}

 private:
  std::optional<Maximum> find_maximum(const StormView&, std::span<const std::int64_t>) override {
    const SparseScreening screening = bounded();
    auto peaks = highest_peaks_of(screening, 1);
    if (!peaks && layer_.drop_excess()) peaks = highest_peaks_of(bounded(), 1);
    if (!peaks) return say_why("too many cells may be the maximum");
    evidence_.push_back({.cells_seen = screening.cells_seen(), .true_sums = true});
    if (peaks->empty()) return Maximum{};
    return Maximum{peaks->front().position, peaks->front().value};
  }

  cpu::Discount discount_of_next(const StormView&, std::int64_t) const override { return {}; }

  std::vector<CellValue> find_values(std::span<const CellRange> cells) override {
    std::vector<CellValue> values;
    for (const CellRange& range : cells) {
      for (std::int64_t k = range.begin; k < range.end; ++k) {
        values.push_back({k, layer_.counted(k)});
      }
    }
    return values;
  }

  std::optional<std::vector<CellValue>> find_peaks(std::size_t count) override {
    auto peaks = highest_peaks_of(bounded(), count);
    if (!peaks) return say_why("too many cells may be among the highest peaks");
    return peaks;
  }

  /// Bounds matter only where the layer may be too high.
  SparseScreening bounded() {
    const double factor = layer_.excess() > 0 ? 2 * layer_.relative_error() : 0;
    return {layer_, factor, 0, options_.part.own};
  }

  /// The highest peaks of the sum of the shares that count. None where too many cells may be among
  /// them.
  std::optional<std::vector<CellValue>> highest_peaks_of(const SparseScreening& screening,
                                                         std::size_t count) {
    if (layer_.excess() > 0) {
      return peaks_from_above(screening, count,
                              [&](double least) { return peaks_from(least, screening); });
    }
    std::vector<CellValue> peaks;
    for (const std::int64_t peak : screening.best_peaks(count)) {
      peaks.push_back({peak, layer_.value(peak)});
    }
    return peaks;
  }

  std::optional<std::vector<CellValue>> peaks_from(double least, const SparseScreening& screening) {
    const auto cells =
        screening.candidates(least, infinite, most_candidates_in_double(layer_.shares_of_cell()));
    if (!cells) return std::nullopt;
    std::vector<CellValue> peaks;
    for (const std::int64_t cell : *cells) {
      const double here = layer_.counted(cell);
      if (here >= least && here > layer_.counted(cell - 1) && here > layer_.counted(cell + 1)) {
        peaks.push_back({cell, here});
      }
    }
    std::ranges::stable_sort(peaks, std::greater<>(), &CellValue::value);
    return peaks;
  }
};

}  // namespace

std::unique_ptr<Engine> make_cpu_sparse_double(const EngineOptions& options) {
  return std::make_unique<CpuSparseDouble>(options);
}

}  // namespace bombard
