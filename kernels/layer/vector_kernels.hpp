#pragma once

#include <cstdint>

#include "kernels/base/indexed_value.hpp"
#include "kernels/layer/attenuation.hpp"
#include "kernels/layer/scaled_impact.hpp"

/// The loops over cells, compiled once for each instruction set from the same source (*_loop.cpp,
/// CMakeLists.txt); update(), relax() and max_location() call those of the chosen one. Pointers and
/// plain types only: an inline function of a library, compiled here for AVX-512, could be the copy
/// that the linker keeps for the whole program.
namespace bombard::cpu {

/// Impacts to add to `cells` cells from `first` on, by a law. `divisors` points at difference 0 of
/// a DivisorTable that goes this far.
template <class Law>
struct UpdateWork {
  Law law;
  const ScaledImpact* impacts;
  std::int64_t count;
  float smallest;
  bool every_share_counts;
  const float* divisors;
  std::int64_t farthest_divisor;
  std::int64_t first;
  float* layer;
  std::int64_t cells;
  /// Of small pieces taken together: by so much at most a share may count too high, and none too
  /// low; below 0: all are exact.
  float share_tolerance = -1;
};

/// A piece of the layer is small up to here.
inline constexpr std::int64_t small_piece_cells = 32;

/// What an update of pieces works in.
struct PiecesMemory {
  static constexpr int most_pieces = 1024, longest_block = 4096;
  // A block that does not serve a piece is cut into so many, and those again, down to the shortest.
  static constexpr int parts = 8, shortest_block = 64;
  static constexpr int lengths = 3;  ///< of blocks: 4096, 512, 64
  // Of all groups that a piece is in; where it is full, a group does with the steps of a larger
  // one.
  static constexpr int most_open = 8 * longest_block;

  std::int64_t positions[longest_block];  ///< of the block
  float energies[longest_block];
  std::int64_t open_positions[most_open];
  float open_energies[most_open];
  std::uint32_t bases[most_pieces];              ///< of each piece
  std::int32_t together[most_pieces];            ///< numbers of pieces
  std::int32_t lists[lengths + 1][most_pieces];  ///< the same
};

struct VectorKernels {
  void (*update_by_square_root)(const UpdateWork<SquareRootLaw>& work);
  void (*update_by_power)(const UpdateWork<GeneralLaw>& work);
  /// Small pieces, and the same impacts in all of them.
  void (*update_pieces_by_square_root)(const UpdateWork<SquareRootLaw>* pieces, std::int64_t count,
                                       PiecesMemory& memory);
  void (*update_pieces_by_power)(const UpdateWork<GeneralLaw>* pieces, std::int64_t count,
                                 PiecesMemory& memory);
  void (*relax)(const float* copy, float* layer, std::int64_t cells);
  /// At most 2^30 cells.
  IndexedValue (*max_location)(const float* layer, std::int64_t cells);
};

namespace avx512 {
extern const VectorKernels vector_kernels;
}
namespace avx2 {
extern const VectorKernels vector_kernels;
}
namespace baseline {
extern const VectorKernels vector_kernels;
}

/// Those of instruction_set().
const VectorKernels& vector_kernels();

}  // namespace bombard::cpu
