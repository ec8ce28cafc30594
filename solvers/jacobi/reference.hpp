#pragma once

#include <span>
#include <vector>

#include "inputs/matrix.hpp"

namespace bombard {

/// The solution by another method, in double, with which `--validate` and tests compare.
struct JacobiReference {
  std::vector<double> x;
  double relative_residual;  ///< |b - A x| / |b|, Euclidean
  const char* method;
};

/// By a factorization or, where A is large, by conjugate gradients (BiCGSTAB). A is a
/// DenseMatrix<T> or a SparseMatrix<T>.
template <class T, class Matrix>
JacobiReference jacobi_reference(const Matrix& a, std::span<const T> b);

}  // namespace bombard
