#pragma once

#include <cstdint>
#include <span>

#include "solvers/kernel_timing.hpp"

namespace bombard {

/// C = A B: A is rows x inner, B inner x columns, C rows x columns, all row by row.
struct ProductShape {
  std::int64_t rows, inner, columns;
};

/// Which kernel multiplies on a GPU.
enum class ProductKernel {
  automatic,  ///< cuBLAS where it is installed, else the tiles
  naive,      ///< one thread an element, everything from global memory
  tiled,      ///< a block makes a tile of C from tiles of A and B in shared memory, a thread a part
              ///< of it in registers
  cublas
};

/// The product on the current device, from and to memory of the host, which the CUDA part
/// registers; every element is the same every time. `block` is the side of a block of threads
/// (naive: 8, 16 or 32) or of a tile (32, 64 or 128); 0 takes what suits the shape. Throws
/// CannotRun for cublas where it is not installed.
template <class T>
struct DeviceProduct {
  void (*multiply)(ProductShape shape, std::span<const T> a, std::span<const T> b, std::span<T> c,
                   ProductKernel kernel, int block, KernelTiming* timing);
};

}  // namespace bombard
