#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// A part of a layer: the cells that an engine is responsible for, and those that it computes so
/// that its own come out right without communication with its neighbours.
struct Part {
  CellRange own;           ///< the cells of the whole layer that it is responsible for
  CellRange held;          ///< the same with a margin where the layer continues
  std::int64_t total = 0;  ///< cells in the whole layer

  /// Its own cells, numbered from the first cell held.
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

/// The cells on which some cells of a layer of `total` cells depend in `storms` storms. Each
/// relaxation needs one more cell on each side, and so does comparing a peak with its neighbours.
constexpr CellRange cells_behind(const CellRange& own, std::int64_t storms, std::int64_t total) {
  return own.widened(std::min(storms, total) + 1, total);
}

/// The part with the margin for `storms` storms.
constexpr Part with_margin(const Part& part, std::int64_t storms) {
  return {part.own, cells_behind(part.own, storms, part.total), part.total};
}

}  // namespace bombard
