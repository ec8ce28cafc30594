#pragma once

#include <memory>

#include "sim/engines/screened/device_storms.hpp"
#include "sim/engines/screened/screened_layer.hpp"

namespace bombard {

/// A screened layer that a GPU stores. It takes the last of these storms, which must outlive it, as
/// the one that it is told to add.
std::unique_ptr<ScreenedLayer> make_cuda_layer(const EngineOptions& options,
                                               const DeviceStorms& storms);

}  // namespace bombard
