#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/convolution/exponential_sum.hpp"
#include "kernels/convolution/tables.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard::cpu {

/// The exponentials of a layer that is not stored, a for each term. Chunks have a width of their
/// own, so that relaxations do not reach what is far (docs/methods.md, Sparse).
class SparseTables {
 public:
  /// 2^chunk_bits cells to a chunk. Shares at distances n from `shortest` to `longest`, before they
  /// are relaxed, are sums of the exponentials but for relative_error.
  SparseTables(const Attenuation& attenuation, double scale, int chunk_bits, double shortest,
               double longest, double relative_error);

  std::int64_t terms() const { return terms_; }
  double longest() const { return longest_; }
  double sum_error() const { return sum_error_; }
  /// a, and 0 behind the last term.
  const double* exponents() const { return exponents_.data(); }

  /// exp(-a m) for 0 <= m < 2^chunk_bits, and for a whole chunk.
  const double* within(std::int64_t m) const { return within_.data() + m * terms_; }
  const double* chunk_decay() const { return chunk_decay_.data(); }

  /// The factors with which a source of energy 1 comes to the states after this number of
  /// relaxations: its weights, the factors (1 + 2 cosh a) / 3 of the relaxations, and the decay
  /// over the chunk and two cells that lie at least between the states and the cells that they
  /// serve.
  const double* source(std::int64_t relaxations);

  /// How many of the first terms do not vanish in a gap of this number of cells, a multiple of 8:
  /// the others are, all together, less than a ten-thousandth of the wanted error of any share that
  /// comes from beyond the gap.
  std::int64_t live_terms(std::int64_t cells) const {
    return live_[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(cells)))];
  }

 private:
  double vanishing_from(double power) const;
  void fill_live(double power);

  ExponentialSum sum_;
  double longest_, sum_error_;
  std::int64_t terms_;
  AlignedDoubles exponents_, within_, chunk_decay_, factors_, sources_;
  std::int64_t sources_made_ = 1;      ///< rows of sources_
  std::array<std::int64_t, 64> live_;  ///< [bits of the number of cells]
};

}  // namespace bombard::cpu
