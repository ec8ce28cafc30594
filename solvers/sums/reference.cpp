#include "solvers/sums/reference.hpp"

#include <Eigen/Core>

namespace bombard {

template <class T>
std::vector<double> row_dots_reference(const DenseMatrix<T>& a, const DenseMatrix<T>& b) {
  using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> left(a.values.data(), a.rows, a.columns);
  const Eigen::Map<const RowMajor> right(b.values.data(), b.rows, b.columns);
  const Eigen::VectorXd dots =
      left.template cast<double>().cwiseProduct(right.template cast<double>()).rowwise().sum();
  return {dots.begin(), dots.end()};
}
template std::vector<double> row_dots_reference<float>(const DenseMatrix<float>&,
                                                       const DenseMatrix<float>&);
template std::vector<double> row_dots_reference<double>(const DenseMatrix<double>&,
                                                        const DenseMatrix<double>&);

}  // namespace bombard
