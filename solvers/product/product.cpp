#include "solvers/product/product.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/in_runs.hpp"
#include "solvers/matrices.hpp"
#include "solvers/solver_device.hpp"

namespace bombard::solve {

namespace {

/// The kernel's name; empty for any.
std::string kernel_of(const ProductSettings& settings) {
  const std::string& name = settings.kernel;
  if (name == "auto") return {};
  if (name != "naive" && name != "tiled" && name != "cublas") {
    throw InputError(fmt::format(
        "kernel \"{}\" does not multiply matrices; there are naive, tiled and cublas", name));
  }
  if (settings.device.kind == Device::cpu) {
    throw InputError(
        "the kernels naive, tiled and cublas run on a GPU; leave kernel or device cpu out");
  }
  return name;
}

/// C = A B by Eigen, tile by tile of C. A tile is large enough that packing its rows of A and
/// columns of B takes little of the time.
template <class T>
void multiply(const DenseView<T>& a, const DenseView<T>& b, std::vector<T>& c) {
  constexpr std::int64_t tile_rows = 192, tile_columns = 512;
  const auto left = in_eigen(a);
  const auto right = in_eigen(b);
  Eigen::Map<RowMajor<T>> product(c.data(), a.rows, b.columns);
  const std::int64_t across = (b.columns + tile_columns - 1) / tile_columns;
  const std::int64_t tiles = (a.rows + tile_rows - 1) / tile_rows * across;
  in_runs(tiles, 1, std::ssize(a.values) + std::ssize(b.values), [&](std::int64_t tile, auto) {
    const std::int64_t row = tile / across * tile_rows;
    const std::int64_t column = tile % across * tile_columns;
    const std::int64_t rows = std::min(tile_rows, a.rows - row);
    const std::int64_t columns = std::min(tile_columns, b.columns - column);
    product.block(row, column, rows, columns).noalias() =
        left.middleRows(row, rows) * right.middleCols(column, columns);
  });
}

}  // namespace

template <class T>
std::vector<T> product(const DenseView<T>& a, const DenseView<T>& b,
                       const ProductSettings& settings) {
  check_view(a);
  check_view(b);
  const std::string name = kernel_of(settings);
  Device choice = settings.device;
  if (!name.empty()) choice.kind = Device::cuda;
  if (a.columns != b.rows) {
    throw InputError(fmt::format("A is {} x {}, B is {} x {}: A's columns must match B's rows",
                                 a.rows, a.columns, b.rows, b.columns));
  }
  const ProductShape shape{a.rows, a.columns, b.columns};
  require_host_memory(byte_count({shape.rows, shape.columns, sizeof(T)}), "the product");
  std::vector<T> c(static_cast<std::size_t>(shape.rows * shape.columns));
  const double operations = 2.0 * static_cast<double>(c.size()) * static_cast<double>(shape.inner);
  const SolverDevice device(choice, operations / (20e9 * cores_of_process()));
  if (device.is_gpu()) {
    kernel<DeviceProduct<T>>(name)(shape, a.values, b.values, c, nullptr);
  } else {
    multiply(a, b, c);
  }
  return c;
}
template std::vector<float> product<float>(const DenseView<float>&, const DenseView<float>&,
                                           const ProductSettings&);
template std::vector<double> product<double>(const DenseView<double>&, const DenseView<double>&,
                                             const ProductSettings&);

}  // namespace bombard::solve
