#pragma once

#include <span>
#include <vector>

#include "sim/engines/fast/exact_tiles.hpp"
#include "sim/engines/fast/screened_storms.hpp"

namespace bombard {

/// The maxima that confirmation proves, storm by storm up to the first that it does not prove.
struct Confirmed {
  std::vector<Maximum> maxima;
  std::vector<Evidence> evidence;
  double interactions = 0;       ///< the work, as interactions of the direct engine
  const char* why_no_more = "";  ///< a clause for Evidence, when there are fewer than storms
};

/// Confirms the candidates of all storms of a call in one go on a GPU (screen_and_confirm.hpp). (On
/// a processor, storm by storm: candidate_search.hpp.)
class CandidateTiles {
 public:
  /// `part` with its margin.
  CandidateTiles(const Part& part, const Rule& rule) : part_(part), exact_(part, rule) {}

  /// The call's storms are the last ones of `impacts`, and those fall on `initial`, see ExactTiles.
  /// It may take the time of `most_interactions` interactions of the direct engine, and no more.
  Confirmed confirm(const ScreenedCall& call, const KeptImpacts& impacts,
                    std::span<const float> initial, double most_interactions);

 private:
  std::vector<TileRound> plan(const ScreenedCall& call, std::span<const double> least) const;
  double confirm_highest_peaks(const ScreenedCall& call, const KeptImpacts& impacts,
                               std::span<const float> initial, std::span<double> values);

  Part part_;
  ExactTiles exact_;
};

}  // namespace bombard
