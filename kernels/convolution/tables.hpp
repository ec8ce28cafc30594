#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "kernels/convolution/chunks.hpp"
#include "kernels/convolution/exponential_sum.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard {

/// Allocates from the start of a cache line, so that vectors do not straddle two lines.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), line));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, line); }
  bool operator==(const CacheLineAllocator&) const = default;
};
using AlignedDoubles = std::vector<double, CacheLineAllocator<double>>;

/// All constants of the convolution with scale * an attenuation for one layer. Below, a stands for
/// the exponent of term t of `sum`.
struct ConvolutionTables {
  /// For powers from 0.1 to 8, exponentials of any range, and distances from 1 to `longest`;
  /// relative_error as in ConvolvedLayer.
  ConvolutionTables(const Attenuation& attenuation, double scale, double longest,
                    double relative_error);

  double longest;  ///< the largest distance that the exponentials cover
  ExponentialSum sum;
  std::int64_t terms;  ///< in a row of tables, and so the range of t
  /// Whether polynomials are as exact as wanted. For steep attenuations they are not: `target` is
  /// for these.
  bool polynomials_serve;
  double relative_error;        ///< of each share, without rounding
  double polynomial_roundings;  ///< of each share, in the polynomial of the cell's chunk, if any

  AlignedDoubles exponents;    ///< a; infinite behind the last term
  AlignedDoubles chunk_decay;  ///< exp(-a chunk_cells)
  /// moment[i][t]: exp(-a (i + 2)), what a source adds to a state at distance n = i + 2
  AlignedDoubles moment;
  /// even[t][..], odd[t][..]: coefficients of x^0, x^2, .. and x^1, x^3, .. of the polynomial for
  /// scale * weight[t] * exp(-a (j + chunk_cells)), x = (j - 31.5)/32 for cell j of its chunk
  AlignedDoubles even, odd;
  /// target[t][j]: scale * weight[t] * exp(-a (j + chunk_cells)); empty if polynomials_serve
  AlignedDoubles target;
  /// near[2 chunk_cells + d] = scale * attenuated(|d| + 1) for |d| < 2 chunk_cells
  AlignedDoubles near;

 private:
  void fill_exponentials();
  void fill_polynomials(double scale);
  void fill_target(double scale);
};

}  // namespace bombard
