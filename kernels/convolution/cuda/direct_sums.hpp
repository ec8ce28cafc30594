#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard::cuda {

/// Sorts the impacts by position, and keeps those of one cell in their order. All of them are in
/// device memory; returns once launched.
void sort_by_position(std::span<const Impact> impacts, std::span<Impact> sorted);

/// Sums of shares in binary64, one by one: sums[i] is the sum of scale * energy * attenuation(n)
/// over the impacts whose reach is not less than their distance n from the cell at origin + i. They
/// are added in two levels, each always in the same order: relative to the sum over |share|, sums
/// are off by at most (1100 + impacts / 1024) 2^-53. If impacts are sorted by position, those that
/// reach no cell are mostly skipped in groups. All is in device memory; returns once launched.
void sum_directly(std::span<const Impact> impacts, std::span<const std::int64_t> reaches,
                  std::int64_t origin, const Attenuation& attenuation, double scale,
                  std::span<double> sums);

}  // namespace bombard::cuda
