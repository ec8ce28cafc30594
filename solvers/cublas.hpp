#pragma once

#include "bombard/matrix_views.hpp"

/// cuBLAS, loaded when it is first called: linked in, it and its tables would cost every start of
/// the program 0.1 s, and it need not be installed. All throw CannotRun where it is not. Matrices
/// and results are in device memory; calls return once launched, in the order of the launches. T
/// float or double, products and sums in T (cuBLAS' default: no TF32, no emulation).
namespace bombard::cuda {

bool has_cublas();

/// C = A B, row by row.
template <class T>
void cublas_gemm(const DenseView<T>& a, const DenseView<T>& b, T* c);

/// y = A x for a square matrix.
template <class T>
void cublas_gemv(const DenseView<T>& a, const T* x, T* y);

/// The scalar product of each row of A with the same row of B, as a batch of products.
template <class T>
void cublas_batched_dots(const DenseView<T>& a, const DenseView<T>& b, T* dots);

}  // namespace bombard::cuda
