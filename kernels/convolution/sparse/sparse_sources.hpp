#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard::cpu {

/// The sum of all deposits of a storm on one cell.
struct SparseSource {
  std::int64_t position;
  std::int64_t storm;  ///< counted from 1
  double energy;
};

/// The sources of the storm with this number, sorted by position.
std::vector<SparseSource> sorted_sources(std::span<const Impact> deposits, std::int64_t storm);

/// A chunk with a source, or with a cell near one that has to be looked at. Chunk c is the cells
/// c 2^bits .. (c + 1) 2^bits - 1, where c has any sign.
struct SparseChunk {
  std::int64_t number;
  std::int64_t begin, end;  ///< its sources
  CellRange seen;           ///< the cells that have to be looked at; empty: none
};

/// The chunks of sorted sources, ascending. After `storms` storms the layer is convex except within
/// storms - j + 1 cells of a source of storm j (docs/methods.md, Sparse): these cells have to be
/// looked at, as far as they are among `cells`, and so have all between them in the same chunk.
std::vector<SparseChunk> occupied_chunks(std::span<const SparseSource> sources, std::int64_t storms,
                                         int chunk_bits, const CellRange& cells);

}  // namespace bombard::cpu
