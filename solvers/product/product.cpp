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

/// Refuses a kernel that does not exist or that this device does not run.
void check(const Device& device, const std::string& kernel) {
  if (kernel != "naive" && kernel != "tiled" && kernel != "cublas") {
    throw InputError(fmt::format(
        "kernel \"{}\" does not multiply matrices; there are naive, tiled and cublas", kernel));
  }
  if (device.kind == Device::cpu) {
    throw InputError(
        "the kernels naive, tiled and cublas run on a GPU; leave kernel or device cpu out");
  }
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
std::vector<T> product(const DenseView<T>& a, const DenseView<T>& b, const Device& device,
                       const std::string& kernel) {
  check_view(a);
  check_view(b);
  Device choice = device;
  if (kernel != "auto") {
    check(device, kernel);
    choice.kind = Device::cuda;
  }
  if (a.columns != b.rows) {
    throw InputError(fmt::format("A is {} x {}, B is {} x {}: A's columns must match B's rows",
                                 a.rows, a.columns, b.rows, b.columns));
  }
  const ProductShape shape{a.rows, a.columns, b.columns};
  require_host_memory(byte_count({shape.rows, shape.columns, sizeof(T)}), "the product");
  std::vector<T> c(static_cast<std::size_t>(shape.rows * shape.columns));
  const double operations = 2.0 * static_cast<double>(c.size()) * static_cast<double>(shape.inner);
  const SolverDevice solver(choice, operations / (20e9 * cores_of_process()));
  if (solver.is_gpu()) {
    bombard::kernel<DeviceProduct<T>>(kernel == "auto" ? "" : kernel)(shape, a.values, b.values, c,
                                                                      nullptr);
  } else {
    multiply(a, b, c);
  }
  return c;
}
template std::vector<float> product<float>(const DenseView<float>&, const DenseView<float>&,
                                           const Device&, const std::string&);
template std::vector<double> product<double>(const DenseView<double>&, const DenseView<double>&,
                                             const Device&, const std::string&);

}  // namespace bombard::solve
