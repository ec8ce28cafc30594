#pragma once

#include <span>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/device/upload.hpp"
#include "kernels/layer/part.hpp"
#include "kernels/layer/storm_batch.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/reaches.hpp"

namespace bombard {

/// One fused kernel a batch of storms. The next batch's impacts are scaled and sent while the
/// device works; the maxima come back once, at the end.
template <class Law>
class CudaDirect final : public DenseEngine {
 public:
  CudaDirect(const EngineOptions& options, const LayerRule<Law>& rule);

  std::vector<Maximum> apply(std::span<const StormView> storms) override;
  /// The same with impacts that are on the device already; ends[i] is where storm i ends among
  /// them. `all_count`: every share counts, so that they need no reaches.
  std::vector<Maximum> apply(std::span<const ScaledImpact> impacts,
                             std::span<const std::int64_t> ends, bool all_count);
  void begin_with(const LayerView& held) override;
  /// The same with cells that are on the device already.
  void begin_with(cuda::DeviceArray<float> held);
  void reset() override;
  Layer layer() const override;

 private:
  struct Scaled {
    std::span<const ScaledImpact> impacts;
    bool all_count;  ///< every share counts in every cell
  };
  Scaled send(std::span<const StormView> storms, std::span<std::int64_t> ends);
  void add_reaches(std::span<const StormView> storms, std::span<ScaledImpact> impacts);
  void apply_batch(const Scaled& scaled, std::span<const std::int64_t> ends,
                   std::span<IndexedValue> largest);
  std::vector<Maximum> fetch(const cuda::DeviceArray<IndexedValue>& largest) const;
  std::int64_t quick_distance() const;
  std::span<const unsigned> hard_energies(std::size_t impacts);

  Part part_;
  LayerRule<Law> rule_;
  Reaches reaches_;
  std::int64_t storms_, storms_applied_ = 0;
  bool keep_layer_;
  cuda::DeviceArray<float> before_, after_;
  cuda::Upload<ScaledImpact> upload_;
  cuda::DeviceArray<unsigned> hard_energies_;
};

}  // namespace bombard
