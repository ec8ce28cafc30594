#pragma once

// The convolution on the device: how the layer is cut, and the tables that tiles are computed with
// (docs/methods.md, The fast layer).

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/convolution/tables.hpp"

namespace bombard::cuda {

inline constexpr int width = static_cast<int>(chunk_cells);
inline constexpr int half_width = width / 2;
/// Chunks that a tile evaluates: its own and, for two cells each, their neighbours; and those whose
/// impacts it needs, two on either side of its own. These are the 32 rows that two matrix
/// instructions of 16 rows take, and work for all four warps of a block: hence 28 chunks of its own
/// (24 rows, 20 chunks, were slower, measured on an H200: docs/journal.md).
inline constexpr int seen_chunks = 32;
inline constexpr int evaluated_chunks = seen_chunks - 2;
inline constexpr int tile_chunks = seen_chunks - 4;
inline constexpr int tile_cells = tile_chunks * width;
inline constexpr int halo = 2;
inline constexpr int row_blocks = seen_chunks / 8;
inline constexpr int tile_threads = 128;
inline constexpr int tile_warps = tile_threads / 32;
/// Numbers in the table of near attenuations (Terms::half_near).
inline constexpr int near_size = 4 * width;

/// Even or odd powers of x.
enum Parity { even, odd };

/// How tiles are computed. Within a chunk exponentials are polynomials, or themselves where
/// attenuations are steep. The compact way is by polynomials, too: strengths stand in place of the
/// states and are loaded twice, so that more tiles are resident at a time.
enum class Way { polynomials, compact, exponentials };

/// Terms in groups of eight, the last one filled up.
__host__ __device__ constexpr int eights_of(int terms) {
  return (terms + 7) / 8;
}

/// Tables of one convolution. The number of `terms` of the exponential sum, filled up with terms of
/// weight 0, leaves 4 when divided by 8: then the rows of [..][terms] lie well in shared memory.
/// Tables of matrix fragments hold 32 pairs for each matrix of eight inner and eight outer indices,
/// one pair for each lane (matrix_fragment.cuh): of the inner indices lane % 4 and lane % 4 + 4,
/// unless said otherwise.
struct Terms {
  int terms;
  std::int64_t chunks, tiles;
  const double* decay;    ///< [chunks < evaluated_chunks][term]: exp(-a chunk_cells chunks)
  const double2* powers;  ///< [j / 8][parity]: rows cells j < 32 of a chunk, a lane's two
                          ///< next to each other; columns powers
  const double2* shape;   ///< [term / 8][parity]: rows powers, columns terms; exp(-32 a x) as a
                          ///< polynomial in x
  const double2* target;  ///< [term / 8][parity]: rows terms, columns powers; the same times
                          ///< scale w exp(-a (2 chunk_cells + 1))
  const double2* cells;   ///< [j / 8][parity]: rows powers, columns cells j < 32
  // Where polynomials do not serve; else nullptr.
  const double* from_source;  ///< [cells to the end of the chunk on its way][term]: exp(-a (cells +
                              ///< 2)), what a source adds to a state
  const double2* to_cells;    ///< [term / 8][j / 8][cells j or their mirror images]: rows terms,
                              ///< columns cells; scale w exp(-a (cell + chunk_cells))

  /// half_near[2 chunk_cells + d] = scale/2 * (|d| + 1)^-power for |d| < 2 chunk_cells
  const double* half_near;

  /// Whether something outside the layer may lie next to the tile that begins with this chunk.
  __device__ bool at_end(std::int64_t first) const {
    return first == 0 || first + tile_chunks + 1 >= chunks;
  }
};

/// The states of the tiles, of one field or of the first of several.
struct States {
  const double* exponents;  ///< [term]
  double* of_tiles;         ///< [tile][side][term]: what the tile adds, then what enters it
  bool* adds;               ///< [tile]: false where it adds nothing, which is not written then

  BOMBARD_HOST_DEVICE States of_field(std::int64_t field, int terms, std::int64_t tiles) const {
    return {exponents, of_tiles + field * 2 * terms * tiles, adds + field * tiles};
  }
};

/// The states of one side and term. Tiles are counted in the direction of the states: from the left
/// to the right, or from the right to the left.
struct Column {
  double* states;       ///< of the first tile on the way
  std::int64_t stride;  ///< to the next
  const bool* adds;     ///< of the first tile
  int step;             ///< to the next
  double a;             ///< the exponent, in tiles

  __device__ Column(int terms, std::int64_t tiles, const States& all, int item)
      : states(all.of_tiles + item),
        stride(2 * terms),
        adds(all.adds),
        step(1),
        a(all.exponents[item % terms] * tile_cells) {
    if (item >= terms) {
      states += (tiles - 1) * stride;
      stride = -stride;
      adds += tiles - 1;
      step = -step;
    }
  }
};

}  // namespace bombard::cuda
