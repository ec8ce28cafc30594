#include "sim/engines/candidate_search.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "kernels/layer/max_location.hpp"
#include "sim/engines/cell_ranges.hpp"

namespace bombard {

namespace {

// An interaction of a narrow range of cells costs as much as so many of the whole layer's: measured
// on two cores with AVX-512, where whole tiles keep their sums in registers.
constexpr double narrow_cost = 3;
// The interactions of a cell and those beside it are computed by vectors of so many, the widest.
constexpr double vector_cells = 16;
// So many cells are no reason to give up.
constexpr std::size_t cheap_cells = 64;

// Without a peak to begin with, the values that the highest groups of cells reach are tried, so
// many groups first, then each time so many times more: the search ends after a few rounds.
constexpr std::int64_t first_groups = 16;
constexpr std::int64_t more_groups = 4;

}  // namespace

template <class Law>
Maximum largest_peak(const ExactCells<Law>& exact, const CellRange& cells, std::int64_t total) {
  const CellRange seen = cells.widened(1, total);
  const IndexedValue peak = cpu::max_location(exact.values(seen));
  if (!(peak.value > 0)) return {};
  return {seen.begin + peak.index, peak.value};
}

template <class Law>
CandidateSearch<Law>::CandidateSearch(const Part& part, const Screening& screening,
                                      std::int64_t impacts, ExactCells<Law>& exact,
                                      const SearchLimits& limits)
    : part_(part),
      screening_(screening),
      exact_(exact),
      limits_(limits),
      most_cells_(
          cheap_cells +
          static_cast<std::size_t>(std::max(0.0, limits.interactions) / narrow_cost / vector_cells /
                                   static_cast<double>(std::max<std::int64_t>(1, impacts)))) {}

/// Computes cells, ascending ones of those held, by the rule. False if that is too much.
template <class Law>
bool CandidateSearch<Law>::confirm(const std::vector<std::int64_t>& cells) {
  std::vector<CellRange> peaks;
  for (const std::int64_t cell : cells) append(peaks, part_.held.begin + cell);
  const auto plan = exact_.plan(widened(peaks, 1, part_.total));
  if (interactions_ + plan.interactions * narrow_cost > limits_.interactions) return false;
  if (exact_.bytes() + plan.bytes > limits_.bytes) return false;
  interactions_ += plan.interactions * narrow_cost;
  exact_.evaluate(plan);
  for (const std::int64_t cell : cells) {
    const std::int64_t k = part_.held.begin + cell;
    best_ = larger(best_, largest_peak(exact_, {k, k + 1}, part_.total));
  }
  candidates_ += static_cast<std::int64_t>(cells.size());
  return true;
}

/// Confirms all cells that may reach `least`, but for those that may reach `most`.
template <class Law>
bool CandidateSearch<Law>::confirm_from(double least, double most) {
  const auto cells = screening_.candidates(least, most, most_cells_);
  return cells && confirm(*cells);
}

template <class Law>
std::optional<Maximum> CandidateSearch<Law>::search(const LowerBound& of_others) {
  std::int64_t groups = first_groups;
  double least = screening_.reached_by(groups);
  if (const std::optional<std::int64_t> peak = screening_.best_peak()) {
    if (!confirm({*peak})) return std::nullopt;
    least = screening_.lower(*peak);
    bound_at_peak_ = screening_.relative_bound(*peak);
  }
  // What cannot reach the peaks of other parts need not be confirmed.
  const double elsewhere = of_others ? of_others(best_.value) : 0;
  // From above: every cell that may reach `done` has been confirmed, and next those that may reach
  // `least`.
  double done = std::numeric_limits<double>::infinity();
  while (true) {
    least = std::max({best_.value > 0 ? best_.value : least, elsewhere, 0.0});
    if (!confirm_from(least, done)) return std::nullopt;
    done = least;
    // Also when both are 0: no cell can be a peak.
    if (std::max(best_.value, elsewhere) >= done) return best_;
    while (least >= done) {
      groups *= more_groups;
      least = screening_.reached_by(groups);
    }
  }
}

template <class Law>
std::optional<std::vector<CellValue>> CandidateSearch<Law>::peaks_from(double least) {
  const auto cells =
      screening_.candidates(least, std::numeric_limits<double>::infinity(), most_cells_);
  if (!cells || !confirm(*cells)) return std::nullopt;
  std::vector<CellValue> peaks;
  for (const std::int64_t cell : *cells) {
    const std::int64_t k = part_.held.begin + cell;
    const Maximum peak = largest_peak(exact_, {k, k + 1}, part_.total);
    if (peak.value > 0 && peak.value >= least) peaks.push_back({peak.position, peak.value});
  }
  std::ranges::stable_sort(peaks, std::greater<>(), &CellValue::value);
  return peaks;
}

template class CandidateSearch<SquareRootLaw>;
template class CandidateSearch<GeneralLaw>;
template Maximum largest_peak(const ExactCells<SquareRootLaw>&, const CellRange&, std::int64_t);
template Maximum largest_peak(const ExactCells<GeneralLaw>&, const CellRange&, std::int64_t);

}  // namespace bombard
