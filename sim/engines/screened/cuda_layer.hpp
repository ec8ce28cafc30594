#pragma once

#include <memory>

#include "sim/engines/screened/device_storms.hpp"
#include "sim/engines/screened/exact_layer.hpp"
#include "sim/engines/screened/screened_layer.hpp"

namespace bombard {

/// A screened layer that a GPU stores. In single precision it adds storms to `pending`, null in
/// double precision.
std::unique_ptr<ScreenedLayer> make_cuda_layer(const EngineOptions& options,
                                               std::shared_ptr<DeviceStorms> pending);

/// cuda_fast; `cheap` as in ScreenedEngine.
std::unique_ptr<Engine> make_cuda_screened(const EngineOptions& options, double cheap);

/// The exact layer on a GPU, after the storms that are `pending`.
std::unique_ptr<ExactLayer> make_cuda_exact_layer(const EngineOptions& options,
                                                  std::shared_ptr<DeviceStorms> pending);

}  // namespace bombard
