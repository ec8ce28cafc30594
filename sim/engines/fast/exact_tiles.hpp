#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/indexed_value.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/part.hpp"
#include "kernels/layer/storm_tiles.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/fast/kept_impacts.hpp"
#include "sim/engines/fast/tile_plan.hpp"
#include "sim/engines/reaches.hpp"

namespace bombard {

/// The rule, to the last bit, in the tiles of a plan, on a GPU. (On a processor: exact_cells.hpp.)
class ExactTiles {
 public:
  /// `part` with its margin: own cells may be a maximum.
  ExactTiles(const Part& part, const Rule& rule)
      : part_(part), rule_(layer_rule(rule, part.total)) {}

  /// How many tiles the device computes at a time.
  std::int64_t at_once() const { return at_once_; }

  /// The largest peak in the tiles after each of the storms that `impacts` holds; {0, 0} without
  /// one. The first of them falls on the cells `initial`, the ones held, in device memory; on 0
  /// when there are none.
  std::vector<Maximum> largest_peaks(std::span<const TileRound> rounds, const KeptImpacts& impacts,
                                     std::span<const float> initial);

 private:
  void launch(const TileRound& round, const KeptImpacts& impacts, std::span<const float> before,
              std::span<const CellTile> tiles, std::span<IndexedValue> peaks);

  Part part_;
  AnyLayerRule rule_;
  std::int64_t at_once_ =
      with_law(rule_, []<class Law>(const LayerRule<Law>&) { return cuda::tiles_at_once<Law>(); });
  cuda::DeviceArray<CellTile> tiles_;
  cuda::DeviceArray<IndexedValue> peaks_;  ///< round by round [storm][tile]
  cuda::DeviceArray<float> before_, after_;
};

}  // namespace bombard
