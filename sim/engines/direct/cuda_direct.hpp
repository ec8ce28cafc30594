#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/layer/part.hpp"
#include "kernels/layer/storm_batch.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/storm_upload.hpp"

namespace bombard {

/// One fused kernel for each batch of storms; a storm that is counted is added before it. The next
/// batch's impacts are sent while the device works; the maxima come back once, at the end.
class CudaDirect final : public Engine {
 public:
  /// Impacts are counted where that pays by these costs, which must outlive this.
  explicit CudaDirect(const EngineOptions& options,
                      const CountingCosts& counting = costs::counting_on_gpu);

  Maximum apply(const StormView& storm) override;
  void begin_with(const LayerView& held) override;
  void reset() override;
  Layer layer() const override;

  /// The cells held, in device memory, as in CpuDirect.
  std::span<const float> held() const { return before_.span(); }
  /// As in CpuDirect, after `waiting` more impacts.
  double time_of(const StormView& storm, std::size_t waiting = 0) const;

 private:
  std::vector<Maximum> apply_storms(std::span<const StormView> storms);
  void add_by_counting(std::span<const Impact> impacts);
  std::size_t batch_of(std::span<const StormView> storms) const;
  void apply_batch(const StormView& storms, std::span<const std::int64_t> ends,
                   std::span<IndexedValue> largest);
  std::vector<Maximum> fetch(const cuda::DeviceArray<IndexedValue>& largest) const;

  Part part_;
  AnyLayerRule rule_;
  std::int64_t storms_, storms_applied_ = 0, impacts_applied_ = 0;
  bool keep_layer_;
  const CountingCosts& counting_;
  cuda::DeviceArray<float> before_, after_;
  StormUpload upload_;
  cuda::DeviceArray<std::int64_t> reaches_;  ///< of a batch
};

}  // namespace bombard
