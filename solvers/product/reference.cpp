#include "solvers/product/reference.hpp"

#include <Eigen/Core>

namespace bombard {

template <class T>
DenseMatrix<double> product_reference(const DenseMatrix<T>& a, const DenseMatrix<T>& b) {
  using Stored = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Double = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Double left =
      Eigen::Map<const Stored>(a.values.data(), a.rows, a.columns).template cast<double>();
  const Double right =
      Eigen::Map<const Stored>(b.values.data(), b.rows, b.columns).template cast<double>();
  DenseMatrix<double> c{a.rows, b.columns,
                        std::vector<double>(static_cast<std::size_t>(a.rows * b.columns))};
  Eigen::Map<Double>(c.values.data(), c.rows, c.columns).noalias() = left * right;
  return c;
}
template DenseMatrix<double> product_reference<float>(const DenseMatrix<float>&,
                                                      const DenseMatrix<float>&);
template DenseMatrix<double> product_reference<double>(const DenseMatrix<double>&,
                                                       const DenseMatrix<double>&);

}  // namespace bombard
