#include "solvers/product.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <Eigen/Core>

#include "inputs/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/linear/cublas.hpp"
#include "kernels/linear/product.hpp"

namespace bombard {

namespace {

template <class T>
void run_on_gpu(ProductShape shape, std::span<const T> a, std::span<const T> b, std::span<T> c,
                ProductKernel kernel) {
  switch (kernel) {
    case ProductKernel::naive:
      return cuda::naive_product(shape, a, b, c);
    case ProductKernel::tiled:
      return cuda::tiled_product(shape, a, b, c);
    default:
      return cuda::cublas_product(shape, a, b, c);
  }
}

}  // namespace

template <class T>
Product<T> product(const DenseMatrix<T>& a, const DenseMatrix<T>& b, ProductKernel kernel,
                   const DeviceChoice& device) {
  if (a.columns != b.rows) {
    throw InputError(fmt::format("A is {} x {}, B is {} x {}: A's columns must match B's rows",
                                 a.rows, a.columns, b.rows, b.columns));
  }
  if (kernel != ProductKernel::automatic && device.kind == DeviceChoice::Kind::cpu) {
    throw InputError(
        "the kernels naive, tiled and cublas run on a GPU; leave --kernel or --device cpu out");
  }
  const ProductShape shape{a.rows, a.columns, b.columns};
  const std::int64_t elements = shape.rows * shape.columns;
  require_host_memory(elements * static_cast<std::int64_t>(sizeof(T)), "the product");
  Product<T> result{};
  result.matrix = {shape.rows, shape.columns, std::vector<T>(static_cast<std::size_t>(elements))};

  const double operations = 2.0 * static_cast<double>(elements) * static_cast<double>(shape.inner);
  result.on_gpu = kernel != ProductKernel::automatic && device.kind == DeviceChoice::Kind::automatic
                      ? use_gpu({DeviceChoice::Kind::cuda, 0}, 0)
                      : use_gpu(device, operations / (40e9 * omp_get_max_threads()));
  if (!result.on_gpu) {
    cpu::product<T>(shape, a.values, b.values, result.matrix.values);
    return result;
  }
  result.kernel = kernel != ProductKernel::automatic ? kernel
                  : cuda::has_cublas()               ? ProductKernel::cublas
                                                     : ProductKernel::tiled;
  cuda::require_device_memory(
      static_cast<std::int64_t>((a.values.size() + b.values.size()) * sizeof(T)) +
          elements * static_cast<std::int64_t>(sizeof(T)),
      "the product");
  const cuda::DeviceArray<T> a_there{std::span<const T>(a.values)};
  const cuda::DeviceArray<T> b_there{std::span<const T>(b.values)};
  cuda::DeviceArray<T> c_there(elements);
  run_on_gpu<T>(shape, a_there.span(), b_there.span(), c_there.span(), result.kernel);
  c_there.copy_to(result.matrix.values);
  return result;
}
template Product<float> product<float>(const DenseMatrix<float>&, const DenseMatrix<float>&,
                                       ProductKernel, const DeviceChoice&);
template Product<double> product<double>(const DenseMatrix<double>&, const DenseMatrix<double>&,
                                         ProductKernel, const DeviceChoice&);

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
