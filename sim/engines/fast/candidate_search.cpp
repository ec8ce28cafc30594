#include "sim/engines/fast/candidate_search.hpp"

#include <algorithm>
#include <limits>

#include "kernels/base/host_memory.hpp"
#include "sim/engines/fast/cell_ranges.hpp"
#include "sim/ranks/slab.hpp"

namespace bombard {

namespace {

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

CandidateSearch::CandidateSearch(std::int64_t total, const Screening& screening, ExactCells& exact,
                                 const SearchLimits& limits)
    : total_(total),
      screening_(screening),
      exact_(exact),
      limits_(limits),
      most_cells_(most_cells_to_confirm(limits, exact.least_cost_of_cell())) {}

/// The cost of computing ascending cells, and those beside them, by the rule.
ExactCells::Plan CandidateSearch::plan(const Cells& cells) const {
  return exact_.plan(widened(ranges_of(cells), 1, total_));
}

bool CandidateSearch::affordable(const ExactCells::Plan& plan) const {
  if (interactions_ + plan.interactions > limits_.interactions) return false;
  return exact_.bytes() + plan.bytes <= limits_.bytes ||
         (limits_.takes_free_memory && plan.bytes <= available_host_memory() / 2);
}

/// The peaks among the cells.
std::vector<CellValue> CandidateSearch::confirmed(const Cells& cells,
                                                  const ExactCells::Plan& plan) {
  interactions_ += plan.interactions;
  candidates_ += std::ssize(cells);
  exact_.evaluate(plan);
  std::vector<CellValue> peaks;
  for (const CellRange& range : ranges_of(cells)) {
    const float* here = exact_.values(range.widened(1, total_)).data() + 1;
    for (std::int64_t k = range.begin; k < range.end; ++k, ++here) {
      if (*here > 0 && *here > here[-1] && *here > here[1]) peaks.push_back({k, *here});
    }
  }
  return peaks;
}

/// None if that is too much.
std::optional<std::vector<CellValue>> CandidateSearch::try_to_confirm(const Cells& cells) {
  const ExactCells::Plan planned = plan(cells);
  if (!affordable(planned)) return std::nullopt;
  return confirmed(cells, planned);
}

std::optional<std::vector<CellValue>> CandidateSearch::highest_peaks(std::size_t count) {
  return screening_.highest_peaks(count, most_cells_,
                                  [&](const Cells& cells) { return try_to_confirm(cells); });
}

std::optional<Maximum> CandidateSearch::search_with(Communicator& others, bool able) {
  Cells best;
  for (const CellValue& peak : screening_.best_peaks(1)) best.push_back(peak.position);
  const std::optional<std::vector<CellValue>> begun = try_to_confirm(best);
  const double of_all = largest_of_all(others, begun ? first_of(*begun).value : 0);
  // Where no part knows a peak, each searches its own cells.
  std::optional<Cells> own;
  if (begun && of_all > 0) {
    own = screening_.candidates(of_all, std::numeric_limits<double>::infinity(), most_cells_);
    if (own && !affordable(plan(*own))) own.reset();
  }
  // No more than the most that some part can afford.
  const Cells dealt = dealt_out(others, own ? *own : Cells(), own && able);
  if (own) {
    Maximum maximum = first_of(*begun);
    for (const CellValue& peak : confirmed(dealt, plan(dealt))) {
      maximum = larger(maximum, {peak.position, peak.value});
    }
    return maximum;
  }
  if (!begun || of_all > 0) return std::nullopt;
  const std::optional<std::vector<CellValue>> peaks = highest_peaks(1);
  return peaks ? std::optional(first_of(*peaks)) : std::nullopt;
}

void CandidateSearch::tell(Communicator& others, double maximum) {
  largest_of_all(others, maximum);
  dealt_out(others, {}, false);
}

}  // namespace bombard
