#include "solvers/jacobi/reference.hpp"

#include <Eigen/Dense>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>

#include "inputs/byte_count.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/eigen_views.hpp"

namespace bombard {

namespace {

using Vector = Eigen::VectorXd;

/// A factorization with this number of rows takes a second.
constexpr std::int64_t most_rows_to_factorize = 2000;

template <class T>
Eigen::MatrixXd to_eigen(const DenseMatrix<T>& a) {
  return in_eigen<T>(a).template cast<double>();
}

template <class T>
Eigen::SparseMatrix<double, Eigen::RowMajor> to_eigen(const SparseMatrix<T>& a) {
  using Rows = Eigen::SparseMatrix<T, Eigen::RowMajor, std::int64_t>;
  const std::vector<std::int64_t> columns(a.column_indices.begin(), a.column_indices.end());
  return Eigen::Map<const Rows>(a.rows, a.columns, static_cast<Eigen::Index>(a.values.size()),
                                a.row_offsets.data(), columns.data(), a.values.data())
      .template cast<double>();
}

/// Every row divided by its diagonal element, which brings a dominant matrix close to the identity.
template <class Matrix>
Vector by_conjugate_gradients(const Matrix& a, const Vector& b) {
  constexpr Eigen::Index most_iterations = 10'000;
  const Vector inverse = a.diagonal().cwiseInverse();
  const Matrix scaled = inverse.asDiagonal() * a;
  Eigen::BiCGSTAB<Matrix, Eigen::IdentityPreconditioner> solver;
  solver.setTolerance(1e-15);
  solver.setMaxIterations(std::min<Eigen::Index>(2 * b.size(), most_iterations));
  solver.compute(scaled);
  return solver.solve(inverse.cwiseProduct(b));
}

template <class Matrix>
JacobiReference solved(const Matrix& left, const Vector& right) {
  const bool factorize = left.rows() <= most_rows_to_factorize;
  const Vector x = factorize ? Vector(Eigen::PartialPivLU<Eigen::MatrixXd>(left).solve(right))
                             : by_conjugate_gradients(left, right);
  const double residual = (right - left * x).stableNorm();
  return {{x.begin(), x.end()},
          residual == 0 ? 0 : residual / right.stableNorm(),
          factorize ? "Eigen's LU" : "Eigen's BiCGSTAB"};
}

}  // namespace

template <class T, class Matrix>
JacobiReference jacobi_reference(const Matrix& a, std::span<const T> b) {
  if (b.empty()) return {{}, 0, "nothing"};
  // Two copies, and for each entry of a sparse one its row and column.
  require_host_memory(
      a.rows <= most_rows_to_factorize
          ? byte_count({2, a.rows, a.rows, sizeof(double)})
          : byte_count({4, static_cast<std::int64_t>(a.values.size()), sizeof(double)}),
      "the comparison with Eigen");
  return solved(to_eigen(a), Vector(Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(
                                        b.data(), static_cast<Eigen::Index>(b.size()))
                                        .template cast<double>()));
}
template JacobiReference jacobi_reference(const DenseMatrix<float>&, std::span<const float>);
template JacobiReference jacobi_reference(const DenseMatrix<double>&, std::span<const double>);
template JacobiReference jacobi_reference(const SparseMatrix<float>&, std::span<const float>);
template JacobiReference jacobi_reference(const SparseMatrix<double>&, std::span<const double>);

}  // namespace bombard
