#pragma once

#include <array>
#include <span>
#include <vector>

#include "inputs/matrix.hpp"
#include "solvers/sort/sort_keys.hpp"

/// What `--validate` and the tests compare the solvers with: the same by programs of others, each
/// beside its solver.
namespace bombard {

/// The solution by another way, in double.
struct JacobiReference {
  std::vector<double> x;
  double relative_residual;
  const char* method;
};

/// By a factorization, where A is large by conjugate gradients (BiCGSTAB).
template <class T>
JacobiReference jacobi_reference(const DenseMatrix<T>& a, std::span<const T> b);
template <class T>
JacobiReference jacobi_reference(const SparseMatrix<T>& a, std::span<const T> b);

/// Eigen's product in double.
template <class T>
DenseMatrix<double> product_reference(const DenseMatrix<T>& a, const DenseMatrix<T>& b);

/// Eigen's, in double.
template <class T>
std::vector<double> row_dots_reference(const DenseMatrix<T>& a, const DenseMatrix<T>& b);

/// std::sort of the same order.
template <class T>
void sort_reference(std::span<T> values, SortOrder order);

/// Eigen's, of matrices one after another (9 values each).
template <class T>
std::array<T, 9> minima_reference(std::span<const T> matrices);

}  // namespace bombard
