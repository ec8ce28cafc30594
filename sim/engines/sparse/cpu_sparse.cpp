// The rule's maxima at a cost that depends on the impacts alone: screen and confirm
// (sim/engines/fast/screen_and_confirm.hpp) on a layer that is not stored (docs/methods.md,
// Sparse).

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/base/host_memory.hpp"
#include "kernels/convolution/sparse/sparse_layer.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/fast/candidate_search.hpp"
#include "sim/engines/fast/cell_ranges.hpp"
#include "sim/engines/fast/error_bound.hpp"
#include "sim/engines/fast/exact_cells.hpp"
#include "sim/engines/fast/screen_and_confirm.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/sparse/sparse_engine.hpp"

namespace bombard {

namespace {

class CpuSparse final : public SparseEngine {
 public:
  explicit CpuSparse(const EngineOptions& options)
      : SparseEngine(options, fast_error,
                     options.keep_layer ? std::vector<const char*>{"cpu_direct"}
                                        : std::vector<const char*>{"cpu_fast", "cpu_direct"}),
        part_{options.part.own, {0, options.part.total}, options.part.total},
        bound_(part_, options.rule, reaches_),
        exact_(part_.total, options.rule, thread_count(options)) {}

 private:
  std::optional<Maximum> find_maximum(const StormView& storm,
                                      std::span<const std::int64_t> reaches) override {
    exact_.add_storm(storm.impacts, reaches, reaches.empty());
    interactions_ += static_cast<double>(part_.total) * static_cast<double>(storm.extent.impacts);
    if (interactions_ == 0) {
      evidence_.emplace_back();
      return Maximum{};
    }
    if (!bound_.add_storm(storm, layer_.relative_error())) return say_why(bound_.why_none());
    if (bound_.tracked_from()) return say_why("there are many impacts to a cell");
    return confirmed();
  }

  cpu::Discount discount_of_next(const StormView& storm, std::int64_t deposits) const override {
    return bound_.discount_of_next(storm, deposits);
  }

  void forget_storms() override {
    SparseEngine::forget_storms();
    bound_ = ErrorBound(part_, options_.rule, reaches_);
    exact_.begin_with({{0, part_.total}, {}});
    interactions_ = 0;
    bytes_asked_for_ = 0;
    most_bytes_ = cheap_bytes;
  }

  std::vector<CellValue> find_values(std::span<const CellRange> cells) override {
    std::vector<CellRange> ranges(cells.begin(), cells.end());
    std::ranges::sort(ranges, {}, &CellRange::begin);
    if (interactions_ > 0) {
      const auto plan = exact_.plan(widened(ranges, 0, part_.total));
      require_host_memory(plan.bytes, "the cells that are to be shown");
      exact_.evaluate(plan);
      bytes_asked_for_ = exact_.bytes();
    }
    std::vector<CellValue> values;
    for (const CellRange& range : cells) {
      const std::span<const float> known = exact_.values(range);
      for (std::int64_t i = 0; i < range.count(); ++i) {
        values.push_back(
            {range.begin + i, interactions_ > 0 ? known[static_cast<std::size_t>(i)] : 0});
      }
    }
    return values;
  }

  std::optional<std::vector<CellValue>> find_peaks(std::size_t count) override {
    if (interactions_ == 0) return std::vector<CellValue>{};
    const SparseScreening screening = bounded(std::numeric_limits<double>::infinity());
    CandidateSearch candidates(
        part_, screening, exact_,
        {.interactions = interactions_ + cheap_interactions,
         .bytes = exact_.bytes() + std::max(cheap_bytes, available_host_memory() / 2)});
    auto peaks = peaks_from_above(screening, count,
                                  [&](double least) { return candidates.peaks_from(least); });
    if (!peaks) return say_why("too many cells may be among the highest peaks");
    bytes_asked_for_ = exact_.bytes();
    return peaks;
  }

  SparseScreening bounded(double most) {
    return {layer_, bound_.factor(), bound_.absolute(), part_.own, most};
  }

  /// First with the little memory that is always there, then with what is free; and first with the
  /// shares that do not count, then without.
  std::optional<Maximum> confirmed() {
    while (true) {
      const SparseScreening screening = bounded(most_shares());
      CandidateSearch candidates(part_, screening, exact_,
                                 {.interactions = interactions_ + cheap_interactions,
                                  .bytes = bytes_asked_for_ + most_bytes_});
      if (const std::optional<Maximum> maximum = candidates.search()) {
        evidence_.push_back({.candidates = candidates.candidates(),
                             .bound = candidates.bound_at_peak(),
                             .cells_seen = screening.cells_seen()});
        return maximum;
      }
      if (most_bytes_ == cheap_bytes) {
        most_bytes_ = std::max(cheap_bytes + 1, available_host_memory() / 2);
      } else if (!layer_.drop_excess()) {
        return say_why(too_many_candidates);
      }
    }
  }

  Part part_;  ///< its own cells; all others may be asked for
  ErrorBound bound_;
  ExactCells exact_;
  double interactions_ = 0;                ///< of all the arithmetic
  std::int64_t bytes_asked_for_ = 0;       ///< of cells that have been shown, and of those before
  std::int64_t most_bytes_ = cheap_bytes;  ///< of candidates
};

}  // namespace

std::unique_ptr<Engine> make_cpu_sparse(const EngineOptions& options) {
  return std::make_unique<CpuSparse>(options);
}

}  // namespace bombard
