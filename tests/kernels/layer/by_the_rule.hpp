#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/layer/scaled_impact.hpp"

namespace bombard {

/// The rule as its text states it: adds the shares of impacts in the cells from `first` on.
inline std::vector<float> by_the_rule(const std::vector<ScaledImpact>& impacts, float smallest,
                                      std::int64_t first, std::vector<float> layer) {
  for (std::size_t k = 0; k < layer.size(); ++k) {
    for (const ScaledImpact& impact : impacts) {
      std::int64_t apart = impact.position - first - static_cast<std::int64_t>(k);
      if (apart < 0) apart = -apart;
      const float share = impact.energy / std::sqrt(static_cast<float>(apart + 1));
      if (share >= smallest || share <= -smallest) layer[k] += share;
    }
  }
  return layer;
}

inline std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

}  // namespace bombard
