#include "solvers/product/product.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <Eigen/Core>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/on_device.hpp"
#include "solvers/product/multiply.hpp"
#include "solvers/references.hpp"

namespace bombard {

template <class T>
Product<T> product(const DenseView<T>& a, const DenseView<T>& b, ProductKernel kernel,
                   const DeviceChoice& device, const std::function<void()>& interrupt) {
  if (a.columns != b.rows) {
    throw InputError(fmt::format("A is {} x {}, B is {} x {}: A's columns must match B's rows",
                                 a.rows, a.columns, b.rows, b.columns));
  }
  if (kernel != ProductKernel::automatic && device.kind == DeviceChoice::Kind::cpu) {
    throw InputError(
        "the kernels naive, tiled and cublas run on a GPU; leave --kernel or --device cpu out");
  }
  const ProductShape shape{a.rows, a.columns, b.columns};
  require_host_memory(byte_count({shape.rows, shape.columns, sizeof(T)}), "the product");
  const std::int64_t elements = shape.rows * shape.columns;
  Product<T> result{};
  result.matrix = {shape.rows, shape.columns, std::vector<T>(static_cast<std::size_t>(elements))};

  const double operations = 2.0 * static_cast<double>(elements) * static_cast<double>(shape.inner);
  result.on_gpu = kernel != ProductKernel::automatic && device.kind == DeviceChoice::Kind::automatic
                      ? use_gpu({DeviceChoice::Kind::cuda, 0}, 0)
                      : use_gpu(device, operations / (40e9 * omp_get_max_threads()));
  if (!result.on_gpu) {
    cpu::product<T>(shape, a.values, b.values, result.matrix.values, interrupt);
    return result;
  }
  result.kernel = on_device<DeviceProduct<T>>().multiply(shape, a.values, b.values,
                                                         result.matrix.values, kernel);
  return result;
}
template Product<float> product<float>(const DenseView<float>&, const DenseView<float>&,
                                       ProductKernel, const DeviceChoice&,
                                       const std::function<void()>&);
template Product<double> product<double>(const DenseView<double>&, const DenseView<double>&,
                                         ProductKernel, const DeviceChoice&,
                                         const std::function<void()>&);

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
