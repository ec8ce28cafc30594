#pragma once

#include <functional>

#include "inputs/matrix.hpp"
#include "solvers/device_choice.hpp"

namespace bombard {

/// Which kernel multiplies on a GPU; `automatic` is cuBLAS where it is installed, else the tiles.
enum class ProductKernel { automatic, naive, tiled, cublas };

template <class T>
struct Product {
  DenseMatrix<T> matrix;
  bool on_gpu;
  ProductKernel kernel;  ///< on a GPU, the one that ran (never automatic)
};

/// A B for T float or double. Sums are in T, in an order of each kernel's own, the same every time.
/// Throws InputError when A's columns are not B's rows, or when a kernel is named for the
/// processor, CannotRun for cublas where it is not installed or too little memory. `interrupt` is
/// called several times a second on the processor; what it throws ends the product.
///
/// a  m x k
/// b  k x n
template <class T>
Product<T> product(const DenseView<T>& a, const DenseView<T>& b, ProductKernel kernel,
                   const DeviceChoice& device, const std::function<void()>& interrupt = {});

}  // namespace bombard
