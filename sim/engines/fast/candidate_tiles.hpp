#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/indexed_value.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/part.hpp"
#include "kernels/layer/storm_tiles.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/fast/screened_storms.hpp"
#include "sim/engines/fast/tile_plan.hpp"
#include "sim/engines/reaches.hpp"

namespace bombard {

/// The maxima that confirmation proves, storm by storm up to the first that it does not prove.
struct Confirmed {
  std::vector<Maximum> maxima;
  std::vector<Evidence> evidence;
  double interactions = 0;       ///< the work, as interactions of the direct engine
  const char* why_no_more = "";  ///< a clause for Evidence, when there are fewer than storms
};

/// Confirms the candidates of all storms of a call in one go on a GPU (screen_and_confirm.hpp): the
/// rule, to the last bit, in the tiles of a plan. (On a processor, storm by storm:
/// candidate_search.hpp.)
class CandidateTiles {
 public:
  /// `part` with its margin: own cells may be a maximum.
  CandidateTiles(const Part& part, const Rule& rule)
      : part_(part), rule_(layer_rule(rule, part.total)) {}

  /// The call's storms are the last ones of `impacts`. The first of these falls on the cells
  /// `initial`, the ones held, in device memory; on 0 when there are none. It may take the time of
  /// `most_interactions` interactions of the direct engine, and no more.
  Confirmed confirm(const ScreenedCall& call, const KeptImpacts& impacts,
                    std::span<const float> initial, double most_interactions);

 private:
  std::vector<TileRound> plan(const ScreenedCall& call, std::span<const double> least) const;
  std::vector<Maximum> largest_peaks(std::span<const TileRound> rounds, const KeptImpacts& impacts,
                                     std::span<const float> initial);
  void launch(const TileRound& round, const KeptImpacts& impacts, std::span<const float> before,
              std::span<const CellTile> tiles, std::span<IndexedValue> peaks);

  Part part_;
  AnyLayerRule rule_;
  std::int64_t tiles_at_once_ =
      with_law(rule_, []<class Law>(const LayerRule<Law>&) { return cuda::tiles_at_once<Law>(); });
  cuda::DeviceArray<CellTile> tiles_;
  cuda::DeviceArray<IndexedValue> peaks_;  ///< round by round [storm][tile]
  cuda::DeviceArray<float> before_, after_;
};

}  // namespace bombard
