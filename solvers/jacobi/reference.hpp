#pragma once

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <span>
#include <vector>

#include "solvers/matrices.hpp"

namespace bombard {

template <class T>
using EigenSparse = Eigen::SparseMatrix<T, Eigen::RowMajor, std::int64_t>;

template <class T>
EigenSparse<T> sparse_in_eigen(const DenseView<T>& a) {
  return in_eigen(a).sparseView();
}
template <class T>
EigenSparse<T> sparse_in_eigen(const SparseView<T>& a) {
  const std::vector<std::int64_t> columns(a.column_indices.begin(), a.column_indices.end());
  return Eigen::Map<const EigenSparse<T>>(a.rows, a.columns, std::ssize(a.values),
                                          a.row_offsets.data(), columns.data(), a.values.data());
}

/// The solution of A x = b by Eigen's BiCGSTAB, in double, to compare with; A is a DenseView<T> or
/// a SparseView<T>. Every row is divided by its diagonal element, which brings a dominant matrix
/// close to the identity.
template <class T, class Matrix>
Eigen::VectorXd jacobi_reference(const Matrix& a, std::span<const T> b) {
  if (b.empty()) return {};
  EigenSparse<double> left = sparse_in_eigen(a).template cast<double>();
  const Eigen::VectorXd inverse = left.diagonal().cwiseInverse();
  left = inverse.asDiagonal() * left;
  Eigen::BiCGSTAB<EigenSparse<double>, Eigen::IdentityPreconditioner> solver(left);
  solver.setTolerance(1e-15);
  return solver.solve(inverse.cwiseProduct(in_eigen(b).template cast<double>()));
}

}  // namespace bombard
