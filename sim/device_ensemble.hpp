#pragma once

#include <cstdint>
#include <vector>

#include "bombard/maximum.hpp"
#include "bombard/runs.hpp"
#include "kernels/layer/rule.hpp"

namespace bombard {

/// Many small layers at once on the current GPU: what the CUDA part registers where it has kernels
/// for it. In a program without one, runs on a GPU are computed one after another.
struct DeviceEnsemble {
  std::int64_t most_cells;  ///< of a layer
  /// The maximum after each storm, of an attenuation that has a law. The runs have been checked.
  /// Throws CannotRun when the device lacks the memory.
  std::vector<Maximum> (*maxima)(std::int64_t cells, const Runs& runs, const Rule& rule);
};

}  // namespace bombard
