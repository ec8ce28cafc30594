#pragma once

#include <cstdint>

#include "kernels/convolution/tables.hpp"

namespace bombard::cpu {

inline constexpr std::int64_t group_cells = group_chunks * chunk_cells;
inline constexpr std::int64_t block_cells = block_chunks * chunk_cells;

/// The sources of a chunk, begin .. end-1; a source is what the impacts of one cell add up to.
/// Those of a block's chunks follow one another.
struct SourceRange {
  std::int64_t begin, end;
};

/// Values of a block that its neighbours need to be relaxed, and it theirs: of its first two and
/// its last two cells, after the impacts.
struct BlockEdges {
  double first[2], last[2];
};

/// One of the two sums that are formed with the same attenuation, of energies and of
/// uncertainties. Its states, for exponents a: A(c) is the sum of amount * exp(-a (chunk_cells c -
/// p + 1)) over sources in cells p before chunk c; B(c) that of amount * exp(-a (p - last cell of
/// chunk c + 1)) behind it.
struct Field {
  const double* amounts;  ///< of the sources
  const double* before;   ///< A(0): sources outside the padded layer
  const double* behind;   ///< B(chunks - 1)
  double* right;          ///< for each block A of the chunk before it
  double* left;           ///< for each block B of the chunk behind it
  BlockEdges* edges;      ///< for each block
  double ends[2];         ///< the layer's first and last cell, after the impacts
};

/// A storm on a padded layer of `chunks` chunks.
struct Sweep {
  int degree;  // from the tables, as are the pointers after it
  std::int64_t terms;
  const double *chunk_decay, *moment, *powers, *even_moment, *odd_moment;
  const double *even, *odd, *near, *near_even, *near_odd;
  std::int64_t chunks;
  const SourceRange* of_chunks;
  const std::uint8_t* offsets;  ///< of the sources' cells in their chunks
  std::int64_t ends[2];         ///< the layer's first and last cell in the padded one
  bool fresh;                   ///< the layer is still 0 and need not be read
  double* layer;
  float* uncertainty;  ///< nullptr: not tracked
  double* highest;     ///< a group each: the largest value + uncertainty
  double growth, rounding;
};

/// Scratch memory of a thread, in numbers of `terms` doubles: for either field.
inline constexpr std::int64_t scratch_states = block_chunks + 1 + 2 * group_chunks;

/// The vector code for one instruction set.
struct SweepFunctions {
  /// What a block's sources add to the states at its two neighbours, into field.right[block + 1]
  /// and field.left[block - 1].
  void (*gather)(const Sweep&, Field&, std::int64_t block);
  /// Adds the sums to the block's cells and relaxes all but its first and last one.
  void (*apply)(const Sweep&, Field& value, Field& uncertainty, std::int64_t block,
                double* scratch);
};

/// That of this processor, see instruction_set().
SweepFunctions sweep_functions();

}  // namespace bombard::cpu
