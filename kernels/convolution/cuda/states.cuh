#pragma once

// The states of the exponentials on the device.

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

  __device__ Column(int terms, std::int64_t tiles, const double* exponents, double* all, int item)
      : states(all + item), stride(2 * terms), a(exponents[item % terms] * tile_cells) {
    if (item >= terms) {
      states += (tiles - 1) * stride;
      stride = -stride;
    }
  }
};

}  // namespace bombard::cuda
