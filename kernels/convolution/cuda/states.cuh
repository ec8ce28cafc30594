#pragma once

// The states of the exponentials on the device, and how they are read in their order.

#include <cstdint>

#include "kernels/convolution/cuda/shape.cuh"

namespace bombard::cuda {

/// The states of the tiles, of one field.
struct States {
  int terms;
  std::int64_t tiles;
  const double* exponents;  ///< [term]
  double* of_tiles;         ///< [tile][side][term]: what the tile adds, then what enters it
};

/// The states of one side and term. Tiles are counted in the direction of the states: from the left
/// to the right, or from the right to the left.
struct Column {
  double* states;       ///< of the first tile on the way
  std::int64_t stride;  ///< to the next
  double a;             ///< the exponent, in tiles

  __device__ Column(int terms, std::int64_t tiles, std::int64_t cells, const double* exponents,
                    double* all, int item)
      : states(all + item),
        stride(2 * terms),
        a(exponents[item % terms] * static_cast<double>(cells)) {
    if (item >= terms) {
      states += (tiles - 1) * stride;
      stride = -stride;
    }
  }
};

/// Calls use(value, i) for count values, `stride` apart, in order; several are loaded at once.
template <class Use>
__device__ void for_each_in_order(const double* values, std::int64_t stride, std::int64_t count,
                                  const Use& use) {
  constexpr int at_once = 16;
  for (std::int64_t i = 0; i < count; i += at_once) {
    double loaded[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (i + k < count) loaded[k] = values[(i + k) * stride];
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (i + k < count) use(loaded[k], i + k);
    }
  }
}

}  // namespace bombard::cuda
