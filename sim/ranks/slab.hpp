#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// The cells that a rank owns: the same number as the others, or one more. Where there are fewer
/// cells than ranks, some own none; rank 0 owns at least one.
constexpr CellRange slab_of_rank(int rank, int ranks, std::int64_t cells) {
  const std::int64_t each = cells / ranks;
  const std::int64_t larger_ones = cells % ranks;
  const std::int64_t begin = each * rank + std::min<std::int64_t>(rank, larger_ones);
  return {begin, begin + each + (rank < larger_ones)};
}

}  // namespace bombard
