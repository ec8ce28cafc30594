// The rule's maxima at a cost that depends on the impacts alone: screen and confirm
// (sim/engines/fast/screen_and_confirm.hpp) on a layer that is not stored (docs/methods.md,
// Sparse).

#include <algorithm>
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
  const char* why_unproved(const StormView& storm, std::span<const std::int64_t> reaches) override {
    exact_.add_storm(storm.impacts, reaches, reaches.empty());
    interactions_ += static_cast<double>(part_.total) * static_cast<double>(storm.extent.impacts);
    if (!bound_.add_storm(storm, layer_.relative_error())) return bound_.why_none();
    return bound_.tracked_from() ? "there are many impacts to a cell" : nullptr;
  }

  void forget_storms() override {
    SparseEngine::forget_storms();
    bound_ = ErrorBound(part_, options_.rule, reaches_);
    exact_.begin_with({{0, part_.total}, {}});
    interactions_ = 0;
  }

  std::vector<CellValue> find_values(std::span<const CellRange> cells) override {
    std::vector<CellRange> ranges(cells.begin(), cells.end());
    std::ranges::sort(ranges, {}, &CellRange::begin);
    if (interactions_ > 0) {
      const auto plan = exact_.plan(widened(ranges, 0, part_.total));
      require_host_memory(plan.bytes, "the cells that are to be shown");
      exact_.evaluate(plan);
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

  std::optional<std::vector<CellValue>> find_peaks(std::size_t count, Evidence& evidence) override {
    if (interactions_ == 0) return std::vector<CellValue>{};
    const SparseScreening screening(layer_, part_.own, bound_.factor(), bound_.absolute(),
                                    [this] { return takes_too_long(); });
    CandidateSearch candidates(part_.total, screening, exact_,
                               {.interactions = interactions_ + cheap_interactions,
                                .bytes = cheap_bytes,
                                .takes_free_memory = true});
    auto peaks = candidates.highest_peaks(count);
    if (peaks) {
      evidence = {.candidates = candidates.candidates(),
                  .bound = screening.relative_bound(first_of(*peaks).position),
                  .cells_seen = screening.looked_at()};
    }
    return peaks;
  }

  Part part_;  ///< its own cells; all others may be asked for
  ErrorBound bound_;
  ExactCells exact_;
  double interactions_ = 0;  ///< of all the arithmetic
};

}  // namespace

std::unique_ptr<Engine> make_cpu_sparse(const EngineOptions& options) {
  return std::make_unique<CpuSparse>(options);
}

}  // namespace bombard
