#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "solvers/kernel_timing.hpp"

namespace bombard {

/// C = A B: A is rows x inner, B inner x columns, C rows x columns.
struct ProductShape {
  std::int64_t rows, inner, columns;
};

/// Which kernel multiplies on a GPU; `automatic` is cuBLAS where it is installed, else the tiles.
enum class ProductKernel { automatic, naive, tiled, cublas };

}  // namespace bombard

/// Matrix product, T float or double, matrices row by row, sums in T. Every element is the same
/// every time; kernels differ in the order of their sums.
namespace bombard::cpu {
/// Blocked for the caches, vectorised, on all cores. `interrupt`, if there is one, is called on the
/// caller's thread after each panel of 256 rows of B and at most 3072 columns; what it throws ends
/// the product, and C is of no use.
template <class T>
void product(ProductShape shape, std::span<const T> a, std::span<const T> b, std::span<T> c,
             const std::function<void()>& interrupt = {});
}  // namespace bombard::cpu

/// Spans of device memory; returns once launched.
namespace bombard::cuda {
/// One thread an element, blocks of side x side threads (8, 16 or 32; 0: 16), everything from
/// global memory.
template <class T>
void naive_product(ProductShape shape, std::span<const T> a, std::span<const T> b, std::span<T> c,
                   int side);

/// A block makes a tile of C from tiles of A and B in shared memory, a thread a part of it in
/// registers. `tile` is its side in rows and columns, 32, 64 or 128; 0 takes what suits the shape.
template <class T>
void tiled_product(ProductShape shape, std::span<const T> a, std::span<const T> b, std::span<T> c,
                   int tile);
}  // namespace bombard::cuda

namespace bombard {

/// The product on the current device, from and to memory of the host, which the CUDA part
/// registers. `block` is the side of a block of threads (naive) or of a tile; 0: what suits.
/// Throws CannotRun for cublas where it is not installed.
template <class T>
struct DeviceProduct {
  void (*multiply)(ProductShape shape, std::span<const T> a, std::span<const T> b, std::span<T> c,
                   ProductKernel kernel, int block, KernelTiming* timing);
};

}  // namespace bombard
