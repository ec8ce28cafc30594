#include <fmt/format.h>
#include <omp.h>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/dense_views.hpp"
#include "solvers/product/multiply.hpp"
#include "solvers/solver_device.hpp"

namespace bombard::solve {

namespace {

ProductKernel product_kernel(const std::string& name) {
  if (name == "auto") return ProductKernel::automatic;
  if (name == "naive") return ProductKernel::naive;
  if (name == "tiled") return ProductKernel::tiled;
  if (name == "cublas") return ProductKernel::cublas;
  throw InputError(fmt::format(
      "--kernel \"{}\" does not multiply matrices; there are naive, tiled and cublas", name));
}

}  // namespace

template <class T>
std::vector<T> product(const DenseView<T>& a, const DenseView<T>& b,
                       const ProductSettings& settings) {
  check_view(a);
  check_view(b);
  const ProductKernel kernel = product_kernel(settings.kernel);
  Device choice = settings.device;
  if (a.columns != b.rows) {
    throw InputError(fmt::format("A is {} x {}, B is {} x {}: A's columns must match B's rows",
                                 a.rows, a.columns, b.rows, b.columns));
  }
  if (kernel != ProductKernel::automatic) {
    if (choice.kind == Device::cpu) {
      throw InputError(
          "the kernels naive, tiled and cublas run on a GPU; leave --kernel or --device cpu out");
    }
    choice.kind = Device::cuda;
  }
  const ProductShape shape{a.rows, a.columns, b.columns};
  require_host_memory(byte_count({shape.rows, shape.columns, sizeof(T)}), "the product");
  std::vector<T> c(static_cast<std::size_t>(shape.rows * shape.columns));
  const double operations = 2.0 * static_cast<double>(c.size()) * static_cast<double>(shape.inner);
  const SolverDevice device(choice, operations / (40e9 * omp_get_max_threads()));
  if (device.is_gpu()) {
    on_device<DeviceProduct<T>>().multiply(shape, a.values, b.values, c, kernel, 0, nullptr);
  } else {
    cpu::product<T>(shape, a.values, b.values, c, settings.interrupt);
  }
  return c;
}
template std::vector<float> product<float>(const DenseView<float>&, const DenseView<float>&,
                                           const ProductSettings&);
template std::vector<double> product<double>(const DenseView<double>&, const DenseView<double>&,
                                             const ProductSettings&);

}  // namespace bombard::solve
