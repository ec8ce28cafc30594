#pragma once

#include "solvers/product/product.hpp"

/// cuBLAS, loaded when it is first called: linked in, it and its tables would cost every start of
/// the program 0.1 s, and it would have to be installed.
namespace bombard::cuda {

bool has_cublas();

/// C = A B, T float or double, in device memory. In the precision of T (the default of cuBLAS: no
/// TF32, no emulation). Returns once launched, in the order of the launches. Throws CannotRun where
/// cuBLAS is not installed.
template <class T>
void cublas_product(ProductShape shape, const T* a, const T* b, T* c);

}  // namespace bombard::cuda
