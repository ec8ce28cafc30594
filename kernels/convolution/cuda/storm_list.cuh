#pragma once

#include <cstdint>

#include "kernels/convolution/uncertainty.hpp"

namespace bombard::cuda {

/// Storms whose deposits follow one another.
struct StormList {
  static constexpr std::int64_t most = 8;
  std::int64_t ends[most];
  DepositUncertainty uncertainty[most];

  __device__ std::int64_t of(std::int64_t deposit) const {
    std::int64_t storm = 0;
    while (deposit >= ends[storm]) ++storm;
    return storm;
  }
  /// How far off a deposit may be, as an energy.
  __device__ double off(std::int64_t storm, std::int64_t deposit, std::int32_t energy) const {
    return uncertainty[storm].of(deposit - (storm == 0 ? 0 : ends[storm - 1]), energy);
  }
};

}  // namespace bombard::cuda
