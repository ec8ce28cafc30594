#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/sparse/sparse_sources.hpp"
#include "kernels/convolution/sparse/sparse_tables.hpp"

namespace bombard::cpu {

/// The exponentials' states in the occupied chunks of a layer that is not stored. They pass from
/// one occupied chunk to the next, whatever lies between, so their cost does not know the layer's
/// size. For every exponent a and either side,
///
///     G(c) = sum over the sources up to chunk c of  energy exp(-a (distance from c's last cell)),
///
/// the source's weight and relaxations included (SparseTables::source()). In chunk c those of up to
/// chunk c - 2 are far: cell j gets the sum over a of exp(-a j) G(c - 2), and the mirror image.
class SparseStates {
 public:
  /// Chunks as occupied_chunks() gives them, and the number of the storm that was the last: a
  /// source of storm j has been relaxed now - j + 1 times. All that is given outlives this.
  SparseStates(SparseTables& tables, std::span<const SparseSource> sources,
               std::span<const SparseChunk> chunks, std::int64_t now, int chunk_bits);

  /// The chord of the sources far from a chunk's cells, from the left and from the right, over the
  /// cells `seen` of the occupied chunk of this index. Between its ends their sum is convex.
  Chord far(std::size_t chunk) const {
    const Chord &left = ends_[to_right][chunk], &right = ends_[to_left][chunk];
    return {left[0] + right[0], left[1] + right[1]};
  }

  /// The sources far from a chunk, by its number: states [Towards], those terms that are not 0.
  using Far = std::array<AlignedDoubles, 2>;
  Far states(std::int64_t number) const;
  /// The sum of the far sources in a cell of the chunk, counted from its first one.
  double far(const Far& states, std::int64_t cell_of_chunk) const;

 private:
  /// States on their way.
  struct Front {
    bool any = false;  ///< whether a chunk has been passed, and the last one
    std::int64_t chunk = 0;
    std::int64_t live = 0;        ///< terms from here on are 0
    AlignedDoubles before, full;  ///< GapStep
  };

  std::int64_t go_to(std::int64_t chunk, Front& front, double* far) const;
  void add_own(Towards side, const SparseChunk& chunk, std::int64_t terms, Front& front) const;
  const SparseChunk& on_way(Towards side, std::size_t i) const {
    return chunks_[side == to_right ? i : chunks_.size() - 1 - i];
  }
  std::int64_t live_terms(std::int64_t gap) const;
  void pass(Towards side);
  AlignedDoubles states(Towards side, std::size_t passed, std::int64_t chunk) const;
  double far(Towards side, const double* states, std::int64_t terms,
             std::int64_t cell_of_chunk) const;

  const SweepKernels& kernels_;
  SparseTables& tables_;
  std::span<const SparseSource> sources_;
  std::span<const SparseChunk> chunks_;
  std::int64_t now_, last_cell_;  ///< the last cell of a chunk
  int chunk_bits_;
  std::vector<Chord> ends_[2];  ///< [Towards][chunk]
  /// [Towards] one for every 32 chunks, before they are passed.
  std::vector<Front> fronts_[2];
};

}  // namespace bombard::cpu
