#include "sim/engines/fast/candidate_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "kernels/layer/max_location.hpp"
#include "sim/engines/fast/cell_ranges.hpp"
#include "sim/ranks/slab.hpp"

namespace bombard {

namespace {

// Without a peak to begin with, the values that the highest groups of cells reach are tried:
// `first_groups` groups first, then each time that many times more. The search ends after a few
// rounds.
constexpr std::int64_t first_groups = 16;
constexpr std::int64_t more_groups = 4;

std::vector<CellRange> ranges_of(const std::vector<std::int64_t>& cells) {
  std::vector<CellRange> ranges;
  for (const std::int64_t cell : cells) append(ranges, cell);
  return ranges;
}

/// The candidates for this rank, one part in order of those of all ranks that are `able`; the
/// others keep their own.
std::vector<std::int64_t> dealt_out(Communicator& ranks, const std::vector<std::int64_t>& own,
                                    bool able) {
  constexpr std::int64_t keeps_its_own = -1;
  const std::vector<std::int64_t> counts = gather(ranks, able ? std::ssize(own) : keeps_its_own);
  std::vector<std::int64_t> given = own;
  given.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, std::ranges::max(counts))));
  std::vector<std::int64_t> of_ranks(counts.size() * given.size());
  ranks.gather(std::as_bytes(std::span(given)), std::as_writable_bytes(std::span(of_ranks)));
  if (!able) return own;
  std::vector<std::int64_t> all;
  int sharing = 0, before = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (static_cast<int>(rank) == ranks.rank()) before = sharing;
    if (counts[rank] == keeps_its_own) continue;
    const auto cells = of_ranks.begin() + static_cast<std::ptrdiff_t>(rank * given.size());
    all.insert(all.end(), cells, cells + counts[rank]);
    ++sharing;
  }
  const auto part = slice(std::span(all), slab_of_rank(before, sharing, std::ssize(all)));
  return {part.begin(), part.end()};
}

}  // namespace

Maximum largest_peak(const ExactCells& exact, const CellRange& cells, std::int64_t total) {
  const CellRange seen = cells.widened(1, total);
  const IndexedValue peak = cpu::max_location(exact.values(seen));
  if (!(peak.value > 0)) return {};
  return {seen.begin + peak.index, peak.value};
}

CandidateSearch::CandidateSearch(const Part& part, const Screening& screening, ExactCells& exact,
                                 const SearchLimits& limits)
    : part_(part),
      screening_(screening),
      exact_(exact),
      limits_(limits),
      most_cells_(most_cells_to_confirm(limits, exact.least_cost_of_cell())) {}

/// Cells of the layer that may reach `least`, but for those that may reach `most`. None when they
/// are too many.
auto CandidateSearch::candidates_between(double least, double most) const -> std::optional<Cells> {
  std::optional<Cells> cells = screening_.candidates(least, most, most_cells_);
  if (cells) {
    for (std::int64_t& cell : *cells) cell += part_.held.begin;
  }
  return cells;
}

/// The cost of computing ascending cells of the layer, and those beside them, by the rule.
auto CandidateSearch::plan(const Cells& cells) const -> Plan {
  return exact_.plan(widened(ranges_of(cells), 1, part_.total));
}

bool CandidateSearch::affordable(const Plan& plan) const {
  return interactions_ + plan.interactions <= limits_.interactions &&
         exact_.bytes() + plan.bytes <= limits_.bytes;
}

void CandidateSearch::confirm(const Cells& cells, const Plan& plan) {
  interactions_ += plan.interactions;
  exact_.evaluate(plan);
  for (const CellRange& peaks : ranges_of(cells)) {
    best_ = larger(best_, largest_peak(exact_, peaks, part_.total));
  }
  candidates_ += static_cast<std::int64_t>(cells.size());
}

/// False if that is too much.
bool CandidateSearch::try_to_confirm(const Cells& cells) {
  const Plan planned = plan(cells);
  if (!affordable(planned)) return false;
  confirm(cells, planned);
  return true;
}

/// The fast layer's, if it has one. False if that is too much.
bool CandidateSearch::confirm_best_peak() {
  const std::optional<std::int64_t> peak = screening_.best_peak();
  if (!peak) return true;
  if (!try_to_confirm({part_.held.begin + *peak})) return false;
  reached_ = screening_.lower(*peak);
  bound_at_peak_ = screening_.relative_bound(*peak);
  return true;
}

std::optional<Maximum> CandidateSearch::search() {
  if (!confirm_best_peak()) return std::nullopt;
  return search_from_above();
}

/// Round after round, the most promising cells first.
std::optional<Maximum> CandidateSearch::search_from_above() {
  std::int64_t groups = first_groups;
  double least = reached_ ? *reached_ : screening_.reached_by(groups);
  // Every cell that may reach `done` has been confirmed, and next those that may reach `least`.
  double done = std::numeric_limits<double>::infinity();
  while (true) {
    if (!std::isfinite(least)) return std::nullopt;
    least = std::max(best_.value > 0 ? best_.value : least, 0.0);
    const std::optional<Cells> cells = candidates_between(least, done);
    if (!cells || !try_to_confirm(*cells)) return std::nullopt;
    done = least;
    // Also when both are 0: no cell can be a peak.
    if (best_.value >= done) return best_;
    while (least >= done) {
      groups *= more_groups;
      least = screening_.reached_by(groups);
    }
  }
}

std::optional<Maximum> CandidateSearch::search_with(Communicator& others, bool able) {
  const bool begun = confirm_best_peak();
  const double of_all = largest_of_all(others, best_.value);
  // Where no part knows a peak, each searches its own cells from above.
  std::optional<Cells> own;
  if (begun && of_all > 0) {
    own = candidates_between(of_all, std::numeric_limits<double>::infinity());
    if (own && !affordable(plan(*own))) own.reset();
  }
  // No more than the most that some part can afford.
  const Cells dealt = dealt_out(others, own ? *own : Cells(), own && able);
  if (!own) return begun && of_all == 0 ? search_from_above() : std::nullopt;
  confirm(dealt, plan(dealt));
  return best_;
}

void CandidateSearch::tell(Communicator& others, double maximum) {
  largest_of_all(others, maximum);
  dealt_out(others, {}, false);
}

std::optional<std::vector<CellValue>> CandidateSearch::peaks_from(double least) {
  const auto cells = candidates_between(least, std::numeric_limits<double>::infinity());
  if (!cells || !try_to_confirm(*cells)) return std::nullopt;
  std::vector<CellValue> peaks;
  for (const std::int64_t k : *cells) {
    const Maximum peak = largest_peak(exact_, {k, k + 1}, part_.total);
    if (peak.value > 0 && peak.value >= least) peaks.push_back({peak.position, peak.value});
  }
  std::ranges::stable_sort(peaks, std::greater<>(), &CellValue::value);
  return peaks;
}

}  // namespace bombard
