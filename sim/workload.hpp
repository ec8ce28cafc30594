#pragma once

#include <cstdint>

#include "kernels/layer/attenuation.hpp"

namespace bombard {

/// What a run computes.
struct Workload {
  std::int64_t cells;
  std::int64_t impacts;  ///< of all storms together
  std::int64_t storms;
  Attenuation attenuation = square_root_attenuation;
  /// The layer is shown as a whole, or is there at first, or shares end, or ranks compute it: no
  /// engine without a layer is chosen by itself.
  bool stored_layer = false;
};

}  // namespace bombard
