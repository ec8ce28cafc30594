#include "sim/engines/fast/candidate_tiles.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/fast/cell_ranges.hpp"
#include "sim/engines/fast/screen_and_confirm.hpp"

namespace bombard {

namespace {

/// The bound on the relative difference of the two layers at the fast one's highest peak.
double bound_at_peak(const Screened& screened) {
  if (screened.peak.index < 0) return 0;
  return (screened.peak.value - screened.least) / screened.peak.value;
}

/// The highest peaks alone as candidates.
ScreenedCall highest_peaks(const ScreenedCall& call) {
  ScreenedCall alone{call.first_storm, call.storms, {}};
  for (Screened& storm : alone.storms) {
    storm.count = storm.peak.index < 0 ? 0 : 1;
    if (storm.count > 0) alone.candidates.push_back({storm.peak.index, storm.peak.value});
  }
  return alone;
}

}  // namespace

/// The tiles for all candidates that can reach least[i] after storm i of the call.
std::vector<TileRound> CandidateTiles::plan(const ScreenedCall& call,
                                            std::span<const double> least) const {
  std::vector<std::vector<CellRange>> wanted(call.first_storm + call.storms.size());
  std::span<const Candidate> candidates = call.candidates;
  for (std::size_t i = 0; i < call.storms.size(); ++i) {
    std::vector<CellRange> cells;
    // Neighbours often follow one another, noted by a warp, and then there is less to sort.
    for (const Candidate& candidate : candidates.first(call.storms[i].count)) {
      if (candidate.upper >= least[i]) append(cells, part_.held.begin + candidate.cell);
    }
    candidates = candidates.subspan(call.storms[i].count);
    std::ranges::sort(cells, {}, &CellRange::begin);
    wanted[call.first_storm + i] = widened(cells, 1, part_.total);
  }
  return plan_tiles(std::move(wanted), part_.total, exact_.at_once());
}

/// The values of the highest peaks by the rule, 0 where they are no peaks: they rule most other
/// candidates out. Returns the interactions that it took.
double CandidateTiles::confirm_highest_peaks(const ScreenedCall& call, const KeptImpacts& impacts,
                                             std::span<const float> initial,
                                             std::span<double> values) {
  const ScreenedCall alone = highest_peaks(call);
  const std::vector<double> any(call.storms.size(), 0);
  const std::vector<TileRound> rounds = plan(alone, any);
  const std::vector<Maximum> maxima = exact_.largest_peaks(rounds, impacts, initial);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = maxima[call.first_storm + i].value;
  }
  return interactions(rounds, impacts.ends());
}

Confirmed CandidateTiles::confirm(const ScreenedCall& call, const KeptImpacts& impacts,
                                  std::span<const float> initial, double most_interactions) {
  const ProfilingRange range("confirm");
  Confirmed confirmed;
  if (call.too_many) confirmed.why_no_more = too_many_candidates;

  std::vector<double> least;
  for (const Screened& storm : call.storms) least.push_back(storm.least);
  const bool few = call.candidates.size() <= few_candidates_to_plan;
  std::vector<TileRound> rounds;
  if (few) rounds = plan(call, least);
  std::vector<double> known(least.size(), 0);  // by the rule
  if (!few || interactions(rounds, impacts.ends()) > few_interactions_of_candidates) {
    confirmed.interactions = tile_cost * confirm_highest_peaks(call, impacts, initial, known);
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::max(least[i], known[i]);
    rounds = plan(call, least);
  }
  confirmed.interactions += tile_cost * interactions(rounds, impacts.ends());
  if (confirmed.interactions > most_interactions) {
    confirmed.why_no_more = too_many_candidates;
    return confirmed;
  }

  const std::vector<Maximum> maxima = exact_.largest_peaks(rounds, impacts, initial);
  for (std::size_t i = 0; i < call.storms.size(); ++i) {
    const Maximum& maximum = maxima[call.first_storm + i];
    const Screened& screened = call.storms[i];
    // Screening took the fast layer's highest peak for one of the rule's.
    if (maximum.value < least[i]) {
      confirmed.why_no_more = "the fast layer's highest peak is none by the rule";
      break;
    }
    confirmed.maxima.push_back(maximum);
    confirmed.evidence.push_back(
        {false, static_cast<std::int64_t>(screened.count), bound_at_peak(screened)});
  }
  return confirmed;
}

}  // namespace bombard
