#pragma once

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
  double sum_error() const { return sum_.relative_error; }
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
  /// the others are, all together, less than a rounding of any share that comes from beyond the
  /// gap.
  std::int64_t live_terms(std::int64_t cells) const;

 private:
  ExponentialSum sum_;
  double longest_, vanishing_;
  std::int64_t terms_;
  AlignedDoubles exponents_, within_, chunk_decay_, factors_, sources_;
  std::int64_t sources_made_ = 1;  ///< rows of sources_
};

}  // namespace bombard::cpu
