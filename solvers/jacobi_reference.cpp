#include <Eigen/Dense>
#include <Eigen/Sparse>

#include "inputs/errors.hpp"
#include "solvers/jacobi.hpp"

namespace bombard {

namespace {

using Vector = Eigen::VectorXd;

template <class T>
Eigen::MatrixXd to_eigen(const DenseMatrix<T>& a) {
  using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(a.values.data(), a.rows, a.columns).template cast<double>();
}

template <class T>
Eigen::SparseMatrix<double, Eigen::RowMajor> to_eigen(const SparseMatrix<T>& a) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    for (std::int64_t e = a.row_offsets[row]; e < a.row_offsets[row + 1]; ++e) {
      entries.emplace_back(row, a.column_indices[e], a.values[e]);
    }
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor> matrix(a.rows, a.columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

template <class T>
Vector to_eigen(std::span<const T> values) {
  using Column = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  return Eigen::Map<const Column>(values.data(), static_cast<Eigen::Index>(values.size()))
      .template cast<double>();
}

/// The textbook's form: A = D + R, x_new = (b - R x) / D.
template <class Matrix>
JacobiSolution<double> iterate(Matrix rest, const Vector& b, Vector x,
                               const JacobiOptions& options) {
  const Matrix a = rest;
  const Vector diagonal = rest.diagonal();
  rest.diagonal().setZero();
  JacobiSolution<double> solution{};
  for (solution.iterations = 1; solution.iterations <= options.iteration_limit;
       ++solution.iterations) {
    const Vector next = (b - rest * x).cwiseQuotient(diagonal);
    const double difference = (next - x).cwiseAbs().maxCoeff();
    const double size = next.cwiseAbs().maxCoeff();
    x = next;
    if (difference <= options.tolerance * size) {
      solution.change = difference == 0 ? 0 : difference / size;
      solution.x.assign(x.begin(), x.end());
      solution.residual_norm = (b - a * x).norm();
      return solution;
    }
  }
  throw InputError("no convergence of the reference within the iteration limit");
}

template <class T, class Matrix>
JacobiSolution<double> reference(const Matrix& a, std::span<const T> b, std::span<const T> start,
                                 const JacobiOptions& options) {
  Vector x = Vector::Zero(static_cast<Eigen::Index>(b.size()));
  if (!start.empty()) x = to_eigen(start);
  JacobiSolution<double> solution = iterate(to_eigen(a), to_eigen(b), x, options);
  solution.dominance = dominance(a);
  return solution;
}

}  // namespace

template <class T>
JacobiSolution<double> jacobi_reference(const DenseMatrix<T>& a, std::span<const T> b,
                                        std::span<const T> start, const JacobiOptions& options) {
  return reference(a, b, start, options);
}
template <class T>
JacobiSolution<double> jacobi_reference(const SparseMatrix<T>& a, std::span<const T> b,
                                        std::span<const T> start, const JacobiOptions& options) {
  return reference(a, b, start, options);
}

template JacobiSolution<double> jacobi_reference<float>(const DenseMatrix<float>&,
                                                        std::span<const float>,
                                                        std::span<const float>,
                                                        const JacobiOptions&);
template JacobiSolution<double> jacobi_reference<double>(const DenseMatrix<double>&,
                                                         std::span<const double>,
                                                         std::span<const double>,
                                                         const JacobiOptions&);
template JacobiSolution<double> jacobi_reference<float>(const SparseMatrix<float>&,
                                                        std::span<const float>,
                                                        std::span<const float>,
                                                        const JacobiOptions&);
template JacobiSolution<double> jacobi_reference<double>(const SparseMatrix<double>&,
                                                         std::span<const double>,
                                                         std::span<const double>,
                                                         const JacobiOptions&);

}  // namespace bombard
