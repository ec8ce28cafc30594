#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/layer/part.hpp"
#include "kernels/layer/storm_batch.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/storm_upload.hpp"

namespace bombard {

/// One fused kernel for each batch of storms. The next batch's impacts are sent while the device
/// works; the maxima come back once, at the end.
class CudaDirect final : public Engine {
 public:
  explicit CudaDirect(const EngineOptions& options);

  Maximum apply(const StormView& storm) override;
  void begin_with(const LayerView& held) override;
  void reset() override;
  Layer layer() const override;

  /// The cells held, in device memory, as in CpuDirect.
  std::span<const float> held() const { return before_.span(); }

 private:
  std::vector<Maximum> apply_storms(std::span<const StormView> storms);
  std::size_t batch_of(std::span<const StormView> storms) const;
  void apply_batch(const StormView& storms, std::span<const std::int64_t> ends,
                   std::span<IndexedValue> largest);
  std::vector<Maximum> fetch(const cuda::DeviceArray<IndexedValue>& largest) const;

  Part part_;
  AnyLayerRule rule_;
  std::int64_t storms_, storms_applied_ = 0;
  bool keep_layer_;
  cuda::DeviceArray<float> before_, after_;
  StormUpload upload_;
  cuda::DeviceArray<std::int64_t> reaches_;  ///< of a batch
};

}  // namespace bombard
