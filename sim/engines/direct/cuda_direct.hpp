#pragma once

#include <cstdint>
#include <span>

#include "kernels/device/device_memory.hpp"
#include "kernels/layer/fused_storm.hpp"
#include "kernels/layer/part.hpp"
#include "kernels/layer/rule.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/storm_upload.hpp"

namespace bombard {

/// One fused kernel for each storm, from the layer before it to the layer after it.
class CudaDirect final : public Engine {
 public:
  explicit CudaDirect(const EngineOptions& options);

  Maximum apply(const StormView& storm) override;
  void begin_with(const LayerView& held) override;
  void reset() override;
  Layer layer() const override;

 private:
  Part part_;
  LayerRule rule_;
  std::int64_t storms_, storms_applied_ = 0;
  bool keep_layer_;
  cuda::DeviceArray<float> before_, after_;
  StormUpload upload_;
  cuda::FusedStorm fused_storm_;
};

}  // namespace bombard
