#pragma once

#include <cstdint>
#include <span>

#include "solvers/implementation.hpp"

namespace bombard {

/// C = A B: A is rows x inner, B inner x columns, C rows x columns, all row by row.
struct ProductShape {
  std::int64_t rows, inner, columns;
};

/// The product on a GPU; every element is the same every time:
///   cublas  throws CannotRun where it is not installed
///   tiled   a block computes a tile of C, of this side, from tiles of A and B in shared memory;
///           each thread has a part of it in registers
///   naive   one thread per element, everything from global memory
template <class T>
using DeviceProduct = Implementation<struct ProductOperation,
                                     void(ProductShape shape, std::span<const T> a,
                                          std::span<const T> b, std::span<T> c, KernelFigures*)>;

}  // namespace bombard
