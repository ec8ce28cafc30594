// The true sums' maxima at a cost that depends on the impacts alone: a layer that is not stored,
// and its highest peak (docs/methods.md, Sparse).

#include <optional>
#include <vector>

#include "kernels/convolution/sparse/sparse_layer.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/fast/error_bound.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/sparse/sparse_engine.hpp"

namespace bombard {

namespace {

class CpuSparseDouble final : public SparseEngine {
 public:
  explicit CpuSparseDouble(const EngineOptions& options)
      : SparseEngine(options, double_precision_error, {"cpu_double"}) {}

 private:
  std::vector<CellValue> find_values(std::span<const CellRange> cells) override {
    std::vector<CellValue> values;
    for (const CellRange& range : cells) {
      for (std::int64_t k = range.begin; k < range.end; ++k) {
        values.push_back({k, layer_.counted(k)});
      }
    }
    return values;
  }

  /// The sum of the shares that count has these peaks. Bounds matter only where the layer may be
  /// too high.
  std::optional<std::vector<CellValue>> find_peaks(std::size_t count, Evidence& evidence) override {
    const bool too_high = layer_.excess() > 0;
    const SparseScreening screening(layer_, options_.part.own,
                                    too_high ? 2 * layer_.relative_error() : 0, 0);
    auto peaks = too_high ? screening.highest_peaks(
                                count, most_candidates_in_double(layer_.shares_of_cell()),
                                [&](const auto& cells) { return counted_peaks(cells); })
                          : screening.best_peaks(count);
    evidence = {.cells_seen = screening.looked_at(), .true_sums = true};
    return peaks;
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
};

}  // namespace

std::unique_ptr<Engine> make_cpu_sparse_double(const EngineOptions& options) {
  return std::make_unique<CpuSparseDouble>(options);
}

}  // namespace bombard
