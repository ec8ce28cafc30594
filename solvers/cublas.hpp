#pragma once

#include <cstdint>

/// cuBLAS, loaded when it is first called: linked in, it and its tables would cost every start of
/// the program 0.1 s, and it need not be installed. All throw CannotRun where it is not. Matrices,
/// row by row, and results are in device memory; calls return once launched, in the order of the
/// launches. T float or double, products and sums in T (cuBLAS' default: no TF32, no emulation).
namespace bombard::cuda {

bool has_cublas();

/// C = A B, where A is rows x inner and B inner x columns.
template <class T>
void cublas_gemm(std::int64_t rows, std::int64_t inner, std::int64_t columns, const T* a,
                 const T* b, T* c);

/// y = A x, where A is n x n.
template <class T>
void cublas_gemv(std::int64_t n, const T* a, const T* x, T* y);

/// The scalar product of each row of A with the same row of B, as a batch of products.
template <class T>
void cublas_batched_dots(std::int64_t rows, std::int64_t columns, const T* a, const T* b, T* dots);

}  // namespace bombard::cuda
