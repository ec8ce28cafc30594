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
  return plan_tiles(std::move(wanted), part_.total, tiles_at_once_);
}

/// The largest peak in the tiles after each of the storms that `impacts` holds; {0, 0} without one.
std::vector<Maximum> CandidateTiles::largest_peaks(std::span<const TileRound> rounds,
                                                   const KeptImpacts& impacts,
                                                   std::span<const float> initial) {
  std::vector<Maximum> maxima(impacts.storms());
  std::vector<CellTile> all_tiles;
  std::size_t all_peaks = 0;
  for (const TileRound& round : rounds) {
    all_tiles.insert(all_tiles.end(), round.tiles.begin(), round.tiles.end());
    all_peaks += round.storms * round.tiles.size();
    if (round.first_storm > 0 || initial.empty()) continue;
    for (CellTile& tile : std::span(all_tiles).last(round.tiles.size())) {
      tile.before = tile.first - part_.held.begin;
    }
  }
  if (all_peaks == 0) return maxima;
  tiles_.at_least(static_cast<std::int64_t>(all_tiles.size()));
  tiles_.copy_from(all_tiles);
  peaks_.at_least(static_cast<std::int64_t>(all_peaks));

  std::span<const CellTile> tiles = std::as_const(tiles_).span();
  std::span<IndexedValue> peaks = peaks_.span();
  for (const TileRound& round : rounds) {
    const bool on_initial = round.first_storm == 0 && !initial.empty();
    launch(round, impacts, on_initial ? initial : std::as_const(before_).span(),
           tiles.first(round.tiles.size()), peaks);
    tiles = tiles.subspan(round.tiles.size());
    peaks = peaks.subspan(round.storms * round.tiles.size());
  }
  std::vector<IndexedValue> found(all_peaks);
  peaks_.copy_to(found);

  const IndexedValue* peak = found.data();
  for (const TileRound& round : rounds) {
    for (std::size_t storm = 0; storm < round.storms; ++storm) {
      Maximum& best = maxima[round.first_storm + storm];
      for (std::size_t tile = 0; tile < round.tiles.size(); ++tile, ++peak) {
        if (peak->index >= 0) best = larger(best, {peak->index, peak->value});
      }
    }
  }
  return maxima;
}

/// Queues a round, which goes on from the values `before`.
void CandidateTiles::launch(const TileRound& round, const KeptImpacts& impacts,
                            std::span<const float> before, std::span<const CellTile> tiles,
                            std::span<IndexedValue> peaks) {
  after_.at_least(round.values);
  const std::int64_t begin = impacts.begin_of(round.first_storm);
  std::vector<std::int64_t> ends;
  for (const std::int64_t end : impacts.ends().subspan(round.first_storm, round.storms)) {
    ends.push_back(end - begin);
  }
  const StormExtent& extent = impacts.extent();
  const TileStorms storms{.impacts = impacts.from(begin),
                          .ends = ends,
                          .layer_cells = part_.total,
                          .own_begin = part_.own.begin,
                          .own_end = part_.own.end,
                          .all_count = every_share_counts(rule_, extent, part_.held)};
  with_law(rule_, [&](const auto& rule) {
    cuda::apply_to_tiles(rule, storms, tiles, before, after_.span(),
                         peaks.first(round.storms * tiles.size()));
  });
  std::swap(before_, after_);
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
  if (!few || interactions(rounds, impacts.ends()) > few_interactions_of_candidates) {
    // The values of the highest peaks by the rule rule most other candidates out.
    rounds = plan(highest_peaks(call), std::vector<double>(least.size(), 0));
    confirmed.interactions = tile_cost * interactions(rounds, impacts.ends());
    const std::vector<Maximum> known = largest_peaks(rounds, impacts, initial);
    for (std::size_t i = 0; i < least.size(); ++i) {
      least[i] = std::max(least[i], known[call.first_storm + i].value);
    }
    rounds = plan(call, least);
  }
  confirmed.interactions += tile_cost * interactions(rounds, impacts.ends());
  if (confirmed.interactions > most_interactions) {
    confirmed.why_no_more = too_many_candidates;
    return confirmed;
  }

  const std::vector<Maximum> maxima = largest_peaks(rounds, impacts, initial);
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
