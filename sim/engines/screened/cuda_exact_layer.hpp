#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/layer/storm_tiles.hpp"
#include "sim/engines/screened/device_storms.hpp"
#include "sim/engines/screened/exact_layer.hpp"
#include "sim/engines/screened/tile_plan.hpp"

namespace bombard {

/// The exact layer on a GPU: the rule is computed in tiles, round after round.
class CudaExactLayer final : public ExactLayer {
 public:
  explicit CudaExactLayer(const EngineOptions& options);

  /// The storms so far in device memory; the screened layer uses them, too.
  const DeviceStorms& storms() const { return storms_; }

  void add(const StormView& storm) override { storms_.add(storm); }
  void clear() override { storms_.clear(); }
  double cost_directly(const StormView& storm) const override;
  Tiles tiles(const std::vector<CellRange>& ranges) const override;
  std::vector<float> values(const Tiles& tiles) override;
  /// With more of them, a look at the best one first takes less time (docs/journal.md, The fast
  /// method on the GPU).
  std::size_t few_candidates() const override { return 64; }
  double least_cost_of_cell() const override;

 private:
  std::vector<CellTile> plan(const std::vector<CellRange>& ranges) const;
  double impacts() const;

  Part part_;
  LayerRule rule_;
  std::int64_t tiles_at_once_;
  DeviceStorms storms_;
  cuda::DeviceArray<CellTile> tiles_;
  cuda::DeviceArray<float> before_, after_;  ///< the values of tiles, from round to round
};

}  // namespace bombard
