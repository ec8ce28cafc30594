#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// A part of a layer: the cells that an engine answers for, and those that it computes so that its
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

/// The cells that some cells of a layer of `total` depend on in `storms` storms. Each relaxation
/// takes one more on either side, and the comparison of a peak with its neighbours another one.
constexpr CellRange cells_behind(const CellRange& own, std::int64_t storms, std::int64_t total) {
  return own.widened(std::min(storms, total) + 1, total);
}

/// The cells that a part holds begin at a multiple of this number: so the borders of the
/// convolution's slabs (kernels/convolution/slab.hpp) follow one another as the slabs do, however
/// small these are.
inline constexpr std::int64_t held_begins_at = 256;

/// The part with the margin for `storms` storms, and with the cells before it down to one where a
/// slab may begin.
constexpr Part with_margin(const Part& part, std::int64_t storms) {
  CellRange held = cells_behind(part.own, storms, part.total);
  held.begin -= held.begin % held_begins_at;
  return {part.own, held, part.total};
}

}  // namespace bombard
