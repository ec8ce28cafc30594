#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/convolution/uncertainty.hpp"

namespace bombard::cpu {

/// A storm as a convolved layer takes it.
struct LayerStorm {
  std::span<const Impact> impacts;
  std::optional<StormUncertainty> uncertainty = {};  ///< for a layer that tracks uncertainties
  std::int64_t origin = 0;                           ///< the position of the layer's first cell

  /// How far off the energy of impact i may be, as sources store it.
  float energy_uncertainty(std::int64_t i) const {
    if (!uncertainty) return 0;
    return static_cast<float>(uncertainty->of(i, impacts[i].energy));
  }
};

}  // namespace bombard::cpu
