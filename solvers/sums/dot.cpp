#include "solvers/sums/dot.hpp"

#include <fmt/format.h>

#include <Eigen/Core>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/on_device.hpp"
#include "solvers/references.hpp"
#include "solvers/sums/row_dots.hpp"

namespace bombard {

template <class T>
RowDots row_dots(const DenseView<T>& a, const DenseView<T>& b, const DeviceChoice& device) {
  if (a.rows != b.rows || a.columns != b.columns) {
    throw InputError(
        fmt::format("A is {} x {}, B is {} x {}: a row of one goes with a row of the other, so the "
                    "shapes must match",
                    a.rows, a.columns, b.rows, b.columns));
  }
  require_host_memory(byte_count({a.rows, sizeof(double)}), "the vector of scalar products");
  RowDots dots{std::vector<double>(static_cast<std::size_t>(a.rows)), false};
  // Two operations an element: the way to a GPU alone takes longer than the sums.
  dots.on_gpu = use_gpu(device, 0);
  if (!dots.on_gpu) {
    cpu::row_dots<T>(a.columns, a.values, b.values, dots.values);
    return dots;
  }
  on_device<DeviceRowDots<T>>().dots(a.columns, a.values, b.values, dots.values);
  return dots;
}
template RowDots row_dots<float>(const DenseView<float>&, const DenseView<float>&,
                                 const DeviceChoice&);
template RowDots row_dots<double>(const DenseView<double>&, const DenseView<double>&,
                                  const DeviceChoice&);

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
