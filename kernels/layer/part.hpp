#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// A part of a layer: the cells that somebody answers for, and those that he computes so that his
/// own come out right without a word from the neighbours.
struct Part {
  CellRange own;           ///< cells of the whole layer, answered for
  CellRange held;          ///< the same with a margin where the layer goes on
  std::int64_t total = 0;  ///< cells in the whole layer

  /// The own cells, numbered from the first cell held on.
  constexpr CellRange own_among_held() const { return own.counted_from(held.begin); }
};

/// Some cells of a layer, without a margin.
constexpr Part part_of_layer(const CellRange& own, std::int64_t total) {
  return {own, own, total};
}

/// The whole layer as one part.
constexpr Part whole_layer(std::int64_t cells) {
  return part_of_layer({0, cells}, cells);
}

/// The part with the margin for so many storms. Each relaxation takes one of its cells, and the
/// comparison of a peak with its neighbours another one.
constexpr Part with_margin(const Part& part, std::int64_t storms) {
  const std::int64_t margin = std::min(storms, part.total) + 1;
  return {part.own, part.own.widened(margin, part.total), part.total};
}

}  // namespace bombard
