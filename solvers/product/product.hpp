#pragma once

#include <cstdint>
#include <span>

#include "solvers/kernel.hpp"

namespace bombard {

/// C = A B: A is rows x inner, B inner x columns, C rows x columns, all row by row.
struct ProductShape {
  std::int64_t rows, inner, columns;
};

/// The product on a GPU; every element is the same every time:
///   cublas  where this build has it
///   tiled   a block computes a tile of C, of this side, from tiles of A and B in shared memory;
///           each thread has a part of it in registers
///   naive   one thread per element, everything from global memory
template <class T>
using DeviceProduct =
    Kernel<struct ProductOperation, void(ProductShape shape, std::span<const T> a,
                                         std::span<const T> b, std::span<T> c, double* seconds)>;

}  // namespace bombard

namespace bombard::cuda {

/// The product by cuBLAS, where CMake has found it, from and to device memory, in the precision of
/// T (no TF32, no emulation). Returns once launched, in the order of the launches.
template <class T>
void cublas_product(ProductShape shape, const T* a, const T* b, T* c);

}  // namespace bombard::cuda
