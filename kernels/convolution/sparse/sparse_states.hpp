#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/exponential_sum.hpp"
#include "kernels/convolution/sparse/relaxed_shares.hpp"
#include "kernels/convolution/sparse/sparse_sources.hpp"
#include "kernels/convolution/tables.hpp"

namespace bombard::cpu {

/// The values of a chord at its two ends, the first and the last of a row of cells.
using Chord = std::array<double, 2>;

/// The sum of sorted sources in any cell of an endless layer. Sources in a cell's chunk and in its
/// two neighbours are near, and added one by one. All others are far: the states of their
/// exponentials pass from one occupied chunk to the next, whatever lies between, so the cost does
/// not depend on the layer's size. For every exponent a and either side,
///
///     G(c) = sum over the sources up to chunk c of  energy exp(-a (distance from c's last cell)),
///
/// including the source's weight and relaxations (source_row()). In chunk c, cell j gets the sum
/// over a of exp(-a j) G(c - 2), and its mirror image.
class SparseStates {
 public:
  /// A chunk has 2^chunk_bits cells here, so many that relaxations do not reach what is far
  /// (docs/methods.md, Sparse). Far shares at distances up to `longest` are sums of exponentials,
  /// up to relative_error; near shares are those of `shares`, which must outlive this object.
  SparseStates(const RelaxedShares& shares, const Attenuation& attenuation, double scale,
               int chunk_bits, double longest, double relative_error);

  std::int64_t terms() const { return terms_; }
  double longest() const { return longest_; }
  double sum_error() const { return sum_.relative_error; }

  /// From now on the sums are those of these sources alone. The chunks are those that
  /// occupied_chunks() returns, and `now` is the number of the last storm: a source of storm j has
  /// been relaxed now - j + 1 times. The arguments must stay valid until the next call.
  void sum(std::span<const SparseSource> sources, std::span<const SparseChunk> chunks,
           std::int64_t now);

  /// The sum in a cell. Keeps what the next cells of the chunk need.
  double at(std::int64_t cell);
  /// None of the cells `seen` of the occupied chunk with this index gets more than this, and the
  /// highest gets hardly less.
  double highest(std::size_t chunk);

 private:
  /// States on their way.
  struct Front {
    std::int64_t chunk = 0;            ///< the last one that has been passed
    std::vector<double> before, full;  ///< as in GapStep
  };
  /// A chunk, its near sources, and the far ones' states [Towards], those terms that are not 0.
  struct Known {
    std::int64_t chunk;
    std::span<const SparseSource> near;
    std::array<std::vector<double>, 2> far;
  };

  std::int64_t relaxations(const SparseSource& source) const { return now_ - source.storm + 1; }
  std::span<const SparseSource> near(std::int64_t chunk, std::size_t place) const;
  Known known_of(std::int64_t chunk) const;
  std::int64_t go_to(std::int64_t chunk, Front& front, double* far) const;
  void add_own(Towards side, const SparseChunk& chunk, Front& front) const;
  const SparseChunk& on_way(Towards side, std::size_t i) const {
    return chunks_[side == to_right ? i : chunks_.size() - 1 - i];
  }
  const double* within(std::int64_t m) const { return within_.data() + m * terms_; }
  /// The factors with which a source of energy 1 enters the states after this number of
  /// relaxations: its weights, the factors (1 + 2 cosh a) / 3 of the relaxations, and the decay
  /// over the chunk and two cells that always lie between the states and the cells that use them.
  const double* source_row(std::int64_t relaxations) const {
    return source_rows_.data() + relaxations * terms_;
  }
  void pass(Towards side);
  std::vector<double> states(Towards side, std::size_t passed, std::int64_t chunk) const;
  double far(Towards side, std::span<const double> states, std::int64_t cell_of_chunk) const;

  const RelaxedShares& shares_;
  ExponentialSum sum_;
  double longest_, vanishing_;
  std::int64_t terms_;
  int chunk_bits_;
  std::int64_t last_cell_;                               ///< of a chunk
  AlignedDoubles exponents_, chunk_decay_, relaxation_;  ///< [term] a, exp(-a cells of a chunk), ..
  AlignedDoubles within_;                                ///< [m][term] exp(-a m)
  AlignedDoubles source_rows_;                           ///< [relaxations][term]
  std::span<const SparseSource> sources_;
  std::span<const SparseChunk> chunks_;
  std::int64_t now_ = 0;
  /// [Towards][chunk] the far sums at both ends of the cells `seen`: they are convex between them.
  std::vector<Chord> ends_[2];
  /// [Towards] one for every 32 chunks, before they are passed.
  std::vector<Front> fronts_[2];
  Known known_{-1, {}, {}};
  std::vector<double> sums_;  ///< of near shares, in highest()
};

}  // namespace bombard::cpu
