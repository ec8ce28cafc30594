#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard::cuda {

/// The impacts by position, those of one cell in their order. All in device memory; returns once
/// launched.
void sort_by_position(std::span<const Impact> impacts, std::span<Impact> sorted);

/// Sums of shares in binary64, one by one: sums[i] is the sum of scale * energy * attenuation(n)
/// over the impacts whose reach is not less than their distance n from the cell at origin + i. In
/// two levels, each always in the same order: relative to the sum over |share|, they are off by no
/// more than (1100 + impacts / 1024) 2^-53. Of impacts by position most are left out at
/// once where they reach no cell. All in device memory; returns once launched.
void sum_directly(std::span<const Impact> impacts, std::span<const std::int64_t> reaches,
                  std::int64_t origin, const Attenuation& attenuation, double scale,
                  std::span<double> sums);

}  // namespace bombard::cuda
