#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/deposit.hpp"

namespace bombard::cpu {

/// Of deposit number i, from 0, so much counts: first * ratio^i.
struct Discount {
  double first = 1, ratio = 1;
};

/// All deposits of a storm on one cell, added up.
struct SparseSource {
  std::int64_t position;
  std::int64_t storm;  ///< from 1
  double energy;
};

/// The sources of a storm of this number, sorted by position.
std::vector<SparseSource> sorted_sources(std::span<const Deposit> deposits, std::int64_t storm,
                                         const Discount& discount);

/// Adds sorted sources to others, which stay sorted.
void merge_sources(std::vector<SparseSource>& all, std::span<const SparseSource> more);

/// A chunk on which a source falls, or a cell near one that has to be looked at. Chunk c is the
/// cells c 2^bits .. (c + 1) 2^bits - 1, c of any sign.
struct SparseChunk {
  std::int64_t number;
  std::int64_t begin, end;  ///< its sources
  CellRange seen;           ///< the cells that have to be looked at; empty: none
};

/// The chunks of sorted sources, ascending. After `storms` storms the layer is convex but within
/// storms - j + 1 cells of a source of storm j (docs/methods.md, Sparse): these cells have to be
/// looked at, as far as they are among `cells`. Of a chunk all that lie between are, too.
std::vector<SparseChunk> occupied_chunks(std::span<const SparseSource> sources, std::int64_t storms,
                                         int chunk_bits, const CellRange& cells);

}  // namespace bombard::cpu
