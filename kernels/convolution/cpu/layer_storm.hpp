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
  /// Impact i counts in the cells k with |position - k| + 1 <= reaches[i] and nowhere else (0:
  /// nowhere). One that reaches all cells is like one without a reach. Empty: all count everywhere.
  std::span<const std::int64_t> reaches = {};
  std::optional<StormUncertainty> uncertainty = {};  ///< for a layer that tracks uncertainties
  std::int64_t origin = 0;                           ///< the position of the layer's first cell

  /// How far off the energy of impact i may be, as sources store it: a source that ends has to exit
  /// the states with the same bits with which it entered.
  float energy_uncertainty(std::int64_t i) const {
    if (!uncertainty) return 0;
    return static_cast<float>(uncertainty->of(i, impacts[i].energy));
  }
};

}  // namespace bombard::cpu
