#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace bombard {

/// The layer is cut into chunks of this many cells (docs/methods.md, The convolution): impacts in a
/// chunk and its two neighbours count one by one, all others through the states of exponentials.
inline constexpr std::int64_t chunk_cells = 64;
/// Chunks that are evaluated together, and chunks that one thread sweeps at a time.
inline constexpr std::int64_t group_chunks = 4;
inline constexpr std::int64_t block_chunks = 128;

/// Eight numbers in one cache line: exponents, or coefficients of a polynomial, side by side.
struct alignas(64) Eight {
  double lane[8];
};

/// All constants of the convolution with scale * n^-power for one layer. With exponents a[t], t in
/// eights:
struct ConvolutionTables {
  /// Distances from 1 to `longest`; relative_error as in ConvolvedLayer.
  ConvolutionTables(double power, double scale, double longest, double relative_error);

  /// Of the polynomials that take the place of the exponentials within a chunk, 11 or 15.
  int degree;
  double relative_error;  ///< of each impact's share, rounding left out
  double longest;         ///< the largest distance that the exponentials cover
  std::int64_t eights;    ///< exponents / 8, the last ones padded with terms that stay 0

  std::vector<double> exponents, weights;  ///< of the exponential sum
  /// shape[t]: coefficients of x^0, x^1, .. of the polynomial for exp(-exponents[t] 32 x)
  std::vector<std::array<double, 16>> shape;

  std::vector<Eight> chunk_decay;  ///< exp(-a chunk_cells)
  std::vector<Eight> block_decay;  ///< exp(-a chunk_cells block_chunks)
  /// moment[i * eights ..]: exp(-a (i + 2)), what a source adds to a state at distance n = i + 2
  std::vector<Eight> moment;
  /// powers[2j], powers[2j + 1]: x^0, x^2, .. and x^1, x^3, .. of cell j in its chunk, x = (j -
  /// 31.5)/32
  std::vector<Eight> powers;
  /// even_moment[i * eights ..], odd_moment[i * eights ..]: the coefficients of x^(2i) and x^(2i +
  /// 1) of the polynomial for exp(-a (j + 2))
  std::vector<Eight> even_moment, odd_moment;
  /// even[t], odd[t]: coefficients of x^0, x^2, .. and x^1, x^3, .. of the polynomial for scale *
  /// weight[t] * exp(-a[t] (j + chunk_cells))
  std::vector<Eight> even, odd;
  /// near[2 * chunk_cells + d] = scale * (|d| + 1)^-power for |d| < 2 * chunk_cells
  std::vector<Eight> near;
  /// near_even[4 p ..], near_odd[4 p ..]: what cell p of a chunk and its two neighbours and cell 3
  /// chunk_cells - 1 - p, its mirror image, bring to the first half of that chunk's cells: half the
  /// sum of both and half the difference.
  std::vector<Eight> near_even, near_odd;

  /// exp(-a n) for any n >= 0, into `eights` eights.
  void decay(double n, Eight* factors) const;
};

}  // namespace bombard
